//! Old versions of the format, read as FF\[4\].
//!
//! Owns [`Upgrade`], the adapter, and [`Conversion`], the conversions it offers. Invariant: only what was requested is
//! converted, and everything else is handed on as it came. Refuses to know the position on the board: M becomes MA on a
//! stone too, where the standard recommends TR.

mod held;

use std::ops::ControlFlow::{self, Continue};

use crate::semantics::blokus::{Owner, Role};
use crate::semantics::go::KI;
use crate::semantics::info::Komi;
use crate::semantics::{Board, GameType, MOST_POINTS, Number, Plays, Point, Points};
use crate::syntax::{Deliver, Descend, Ident, Node, Part, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

use held::Held;

/// One thing that FF\[4\], or a program's current version, writes differently from its predecessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Conversion {
    /// `FF[1]` to `FF[3]` become `FF[4]`. If FF is missing, it stays so.
    Version,
    /// Lower-case letters are dropped from names: `CoPyright` is handed on as `CP`. A name of nothing else stays.
    Names,
    /// L becomes LB, its points labelled with letters: `L[fg][es]` is `LB[fg:a][es:b]`. They begin anew with each L;
    /// after `z` comes `aa`. The letters are lower-case, as in SGFC, unless [`Upgrade::capital_letters`] is set.
    Letters,
    /// M becomes MA.
    Marks,
    /// Two corners in VW become the rectangle between them: `VW[ba][db]` is `VW[ba:db]`.
    View,
    /// `tt` becomes an empty value in the moves of Go, on boards where it is a pass: up to 19 by 19, or of no stated
    /// size.
    Passes,
    /// KI, the komi of Smart Game Board in half points, becomes KM: `KI[11]` is `KM[5.5]`. Behind a KM of its node it
    /// stays.
    Komi,
    /// Pentobi's old names become those of the variant. BLUE, YELLOW, RED and GREEN of versions before 0.2 become `1`
    /// to `4` or B and W. In a variant of two players with a colour each, `1` and `2`, as 12.0 wrote them for Callisto,
    /// become B and W, along with `A1`, `1L`, `P1` and the like.
    BlokusNames,
    /// A piece of Blokus that is a list of points becomes one value, as Pentobi writes it from 0.3 on: `1[a1][a2]` is
    /// `1[a1,a2]`.
    BlokusMoves,
}

impl Conversion {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Version,
        Self::Names,
        Self::Letters,
        Self::Marks,
        Self::View,
        Self::Passes,
        Self::Komi,
        Self::BlokusNames,
        Self::BlokusMoves,
    ];
}

/// Hands on the events of old files as those of FF\[4\], as far as it is asked to.
///
/// A game is old unless its FF says 4 or more. A missing FF means 1 by the standard, and what stands before FF in a
/// root node is read so too. [`in_every_version`](Self::in_every_version) converts the other games as well: many say
/// `FF[4]` and are not. Pentobi has written `FF[4]` from the start, so the conversions for Blokus are made in every
/// version.
///
/// Positions stay those of the source, but a converted value has no [span](Value::span). A value made of several has the
/// position of the first. What is held back until a list is complete comes right before the next event. If the visitor
/// breaks at the one, it still receives the other. Converted values that the visitor asks for in parts come as one part
/// each, and are no longer than [`Limits::value`](crate::Limits::value).
///
/// Left as they are: lists of L in which the rectangles of one game stand for more points than four of the largest boards
/// have, which seven bytes could otherwise make without end; the properties that FF\[4\] dropped without a successor
/// (CH, SI, RG, SC, BS, WS, EL, EX, ID, OM, OP, OV, LT, TC); nodes that have both a move and a setup; and a KM behind a
/// KI of its node, which then has KM twice, since what has been handed on is not called back.
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
/// use sgf_stream::semantics::{Conversion, Upgrade};
/// use sgf_stream::{Deliver, Property, Value, Visitor};
///
/// #[derive(Default)]
/// struct Shown(String);
///
/// impl Visitor for Shown {
///     type Break = Infallible;
///
///     fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
///         self.0 += &property.ident().to_string();
///         ControlFlow::Continue(Deliver::Whole)
///     }
///
///     fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
///         self.0 += &format!("[{}]", value.simple_text());
///         ControlFlow::Continue(())
///     }
/// }
///
/// let mut upgrade = Upgrade::all(Shown::default()).without(Conversion::Version);
/// let _ = sgf_stream::read_slice(b"(;FF[3]KI[11];B[tt]L[fg][es]M[aa])", &mut upgrade)?;
/// assert_eq!(upgrade.into_inner().0, "FF[3]KM[5.5]B[]LB[fg:a][es:b]MA[aa]");
/// # Ok::<(), sgf_stream::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Upgrade<V> {
    inner: V,
    wanted: u16,
    every_version: bool,
    first_letter: u8,
    board: Board,
    /// FF says 4.
    current: bool,
    nodes: u64,
    /// KM stands in this node.
    has_komi: bool,
    /// How many more points of rectangles may get letters.
    points_left: usize,
    job: Job,
    answer: Deliver,
    held: Held,
}

/// What is done with the values of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    HandOn,
    /// What the board learns from the root.
    Learn(Ident),
    /// Handed on as the visitor has asked; they arrive whole.
    Rest,
    /// The next point has this letter, from 0.
    Letters(u32),
    View,
    Move,
    Komi,
    Piece,
}

impl<V> Upgrade<V> {
    /// An adapter around `inner` that converts nothing yet.
    pub const fn new(inner: V) -> Self {
        Self {
            inner,
            wanted: 0,
            every_version: false,
            first_letter: b'a',
            board: Board::new(GameType::Go),
            current: false,
            nodes: 0,
            has_komi: false,
            points_left: MOST_POINTS,
            job: Job::HandOn,
            answer: Deliver::Whole,
            held: Held::Nothing,
        }
    }

    /// An adapter around `inner` that makes every conversion.
    pub fn all(inner: V) -> Self {
        Conversion::ALL.iter().fold(Self::new(inner), |it, &conversion| it.with(conversion))
    }

    /// Makes this conversion too.
    #[must_use]
    pub const fn with(mut self, conversion: Conversion) -> Self {
        self.wanted |= 1 << conversion as u16;
        self
    }

    /// Does not make this conversion.
    #[must_use]
    pub const fn without(mut self, conversion: Conversion) -> Self {
        self.wanted &= !(1 << conversion as u16);
        self
    }

    /// Converts games that claim to be FF\[4\] as well.
    #[must_use]
    pub const fn in_every_version(mut self) -> Self {
        self.every_version = true;
        self
    }

    /// [`Conversion::Letters`] makes `A`, `B` and so on, as the standard advises for old files.
    #[must_use]
    pub const fn capital_letters(mut self) -> Self {
        self.first_letter = b'A';
        self
    }

    /// The visitor inside.
    pub const fn inner(&self) -> &V {
        &self.inner
    }

    /// The visitor inside, to be changed where reading has stopped.
    pub const fn inner_mut(&mut self) -> &mut V {
        &mut self.inner
    }

    /// The visitor inside.
    pub fn into_inner(self) -> V {
        self.inner
    }

    const fn wants(&self, conversion: Conversion) -> bool {
        self.wanted & 1 << conversion as u16 != 0
    }

    /// Whether a conversion is wanted, and this game is old.
    const fn converts(&self, conversion: Conversion) -> bool {
        self.wants(conversion) && (self.every_version || !self.current)
    }

    fn job(&self, ident: Ident) -> Job {
        match ident {
            _ if self.nodes == 1 && Board::learns_from(ident) => Job::Learn(ident),
            Ident::L if self.converts(Conversion::Letters) => Job::Letters(0),
            Ident::VW if self.converts(Conversion::View) => Job::View,
            KI if self.converts_komi() => Job::Komi,
            _ => match self.board.plays(ident) {
                Some(Plays::Move) if self.board.game() == GameType::Go && self.converts(Conversion::Passes) => {
                    Job::Move
                }
                Some(Plays::Piece) if self.wants(Conversion::BlokusMoves) => Job::Piece,
                _ => Job::HandOn,
            },
        }
    }

    /// Whether KI becomes KM, which must not stand twice in a node.
    const fn converts_komi(&self) -> bool {
        self.converts(Conversion::Komi) && !self.has_komi
    }

    /// The present name of a property.
    fn name(&self, ident: Ident) -> Ident {
        match ident {
            Ident::L if self.converts(Conversion::Letters) => Ident::LB,
            Ident::M if self.converts(Conversion::Marks) => Ident::MA,
            KI if self.converts_komi() => Ident::KM,
            _ if self.wants(Conversion::BlokusNames) => self.blokus_name(ident).unwrap_or(ident),
            _ => ident,
        }
    }

    fn blokus_name(&self, ident: Ident) -> Option<Ident> {
        let GameType::Blokus(variant) = self.board.game() else { return None };
        let (role, owner) = variant.role(ident)?;
        let (Owner::Player(number) | Owner::Color(number)) = owner;
        let who = match (variant.players(), variant.colors(), number) {
            (2, 2, 1) => b'B',
            (2, 2, 2) => b'W',
            // The others are right already, except for the names of colours.
            _ if ident.len() > 2 => b'0' + number,
            _ => return None,
        };
        let name = match role {
            Role::Move => [who, 0],
            Role::Setup => [b'A', who],
            Role::TimeLeft => [who, b'L'],
            Role::Name => [b'P', who],
        };
        Ident::from_raw(if role == Role::Move { &name[..1] } else { &name })
    }
}

impl<V: Visitor> Upgrade<V> {
    /// Hands on what is held back: the list is complete.
    #[inline]
    fn flush(&mut self) -> ControlFlow<V::Break> {
        if matches!(self.held, Held::Nothing) {
            return Continue(());
        }
        self.held.take().hand_to(self.answer, &mut self.inner)
    }

    fn learn(&mut self, ident: Ident, value: Value<'_>) -> ControlFlow<V::Break> {
        self.board.learn(ident, value);
        if ident != Ident::FF {
            return value.hand_to(self.answer, &mut self.inner);
        }
        let version = value.parse_lenient::<Number>().ok();
        self.current = version.is_some_and(|it| it.0 >= 4);
        let upgrades = self.wants(Conversion::Version) && version.is_some_and(|it| (1..=3).contains(&it.0));
        let value = if upgrades { rewritten(value, b"4") } else { value };
        value.hand_to(self.answer, &mut self.inner)
    }

    /// Hands on the points of a value of L, with letters from this one on.
    fn letters(&mut self, mut letter: u32, value: Value<'_>) -> ControlFlow<V::Break> {
        let mut flow = Continue(());
        let mut label = |inner: &mut V, answer, point: &[u8]| {
            let mut raw = point.to_vec();
            raw.push(b':');
            raw.extend(letters_of(letter, self.first_letter));
            letter = letter.saturating_add(1);
            let next = rewritten(value, &raw).hand_to(answer, inner);
            // The points of one value belong together.
            if flow.is_continue() {
                flow = next;
            }
        };
        if self.board.read_point_lenient(value).is_ok() {
            label(&mut self.inner, self.answer, value.raw);
        } else if let Some(points) = value.parse::<Points<'_>>().ok().filter(|points| points.len() <= self.points_left)
        {
            self.points_left -= points.len();
            for letters in points.filter_map(Point::letters) {
                label(&mut self.inner, self.answer, &letters);
            }
        } else {
            flow = value.hand_to(self.answer, &mut self.inner);
        }
        self.job = Job::Letters(letter);
        flow
    }

    fn komi(&mut self, value: Value<'_>) -> ControlFlow<V::Break> {
        let komi = Komi::parse_ki(&value.simple_text()).value().map(|komi| komi.to_string());
        let value = komi.as_ref().map_or(value, |komi| rewritten(value, komi.as_bytes()));
        value.hand_to(self.answer, &mut self.inner)
    }

    /// Keeps a value back if `held`; otherwise hands on everything that was held back, and then the value.
    fn hold(&mut self, value: Value<'_>, held: bool) -> ControlFlow<V::Break> {
        if held {
            return Continue(());
        }
        self.job = Job::Rest;
        let flushed = self.held.take().hand_apart(self.answer, &mut self.inner);
        let handed = value.hand_to(self.answer, &mut self.inner);
        flushed?;
        handed
    }
}

/// A value in the place of one of the source, whose bytes are not there.
fn rewritten<'a>(value: Value<'_>, raw: &'a [u8]) -> Value<'a> {
    Value { position: value.position, writing: value.writing.recoded(), raw }
}

/// `a` to `z`, then `aa` and so on.
fn letters_of(mut index: u32, first: u8) -> impl Iterator<Item = u8> {
    let mut letters = [0; 7];
    let mut from = letters.len();
    loop {
        from -= 1;
        letters[from] = first + (index % 26) as u8;
        if index < 26 {
            return letters.into_iter().skip(from);
        }
        index = index / 26 - 1;
    }
}

/// Without `moves`: each property is looked at by itself.
impl<V: Visitor> Visitor for Upgrade<V> {
    type Break = V::Break;

    #[inline]
    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<V::Break, Descend> {
        if tree.depth() == 1 {
            // What is still held back belongs to an input that was given up.
            self.held = Held::Nothing;
            (self.board, self.current, self.nodes) = (Board::default(), false, 0);
            self.points_left = MOST_POINTS;
        }
        let flushed = self.flush();
        let descend = self.inner.enter_tree(tree);
        flushed?;
        descend
    }

    #[inline]
    fn node(&mut self, node: Node) -> ControlFlow<V::Break, Step> {
        self.nodes += 1;
        self.has_komi = false;
        let flushed = self.flush();
        let step = self.inner.node(node);
        flushed?;
        step
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<V::Break, Deliver> {
        let flushed = self.flush();
        let ident = property.ident();
        let name = self.name(ident);
        // Dropping letters is all that makes a name shorter.
        let shortened = self.converts(Conversion::Names) && property.raw().len() > name.len();
        let mut letters = [0; 16];
        let mut upgraded = property;
        if name != ident || shortened {
            letters.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
            upgraded.raw = &letters[..name.len()];
        }
        self.job = self.job(ident);
        self.has_komi |= name == Ident::KM;
        // After a break the reader delivers whole values, whatever was requested.
        self.answer = Deliver::Whole;
        let answer = self.inner.property(upgraded);
        if let Continue(answer) = answer {
            self.answer = answer;
        }
        if flushed.is_break() && self.job == Job::HandOn {
            self.job = Job::Rest;
        }
        flushed?;
        Continue(match (self.job, answer?) {
            (Job::Learn(_), _) => Deliver::Whole,
            (Job::HandOn, answer) | (_, answer @ Deliver::Skip) => answer,
            _ => Deliver::Whole,
        })
    }

    #[inline]
    fn value(&mut self, value: Value<'_>) -> ControlFlow<V::Break> {
        match self.job {
            Job::HandOn => self.inner.value(value),
            Job::Rest => value.hand_to(self.answer, &mut self.inner),
            Job::Learn(ident) => self.learn(ident, value),
            Job::Letters(letter) => self.letters(letter, value),
            Job::Komi => self.komi(value),
            Job::Move => {
                let passes = value.raw == b"tt" && self.board.read_move(value).is_ok_and(|it| it.is_pass());
                let value = if passes { rewritten(value, b"") } else { value };
                value.hand_to(self.answer, &mut self.inner)
            }
            Job::View => {
                let held = self.held.corner(value);
                self.hold(value, held)
            }
            Job::Piece => {
                let held = self.held.point(value);
                self.hold(value, held)
            }
        }
    }

    #[inline]
    fn part(&mut self, part: Part<'_>) -> ControlFlow<V::Break> {
        self.inner.part(part)
    }

    #[inline]
    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<V::Break> {
        let flushed = self.flush();
        let exit = self.inner.exit_tree(end);
        flushed?;
        exit
    }

    #[inline]
    fn problem(&mut self, problem: &Problem) -> ControlFlow<V::Break> {
        self.inner.problem(problem)
    }
}
