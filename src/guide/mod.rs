//! The guide: one real game, read through every layer. After it, a page for each subject.
//!
//! | page | about |
//! | --- | --- |
//! | [`command`] | what the commands have in common: inputs, exit codes, progress |
//! | [`rows`] | columns and conditions of `sgf list` and `sgf find`; cutting a file for several machines |
//! | [`archives`] | formats, what is read, damage and limits |
//! | [`index`] | databases and files of rows; one game of many |
//! | [`charsets`] | how the charset of a game is found; brackets that nobody escaped; `sgf recode` |
//! | [`damage`] | where games and values end, and what is done about each problem |
//! | [`listen`] | how to run the service |
//!
//! # One game
//!
//! The game is `corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf`: Kitani Minoru against Go Seigen in the first Japanese league
//! of the strongest, on two days of April 1957. The file begins like this:
//!
//! ```text
//! (;FF[4]CA[UTF-8]GM[1]SZ[19]
//! EV[1st Nihon Saikyo League]
//! DT[1957-04-14,15]PC[Fukudaya, Kioicho, Chiyoda-ku, Tokyo]
//! PB[Kitani Minoru]BR[9d]
//! PW[Go Seigen]WR[9d]
//! RE[W+R]
//! ;B[qd];W[dc];B[pq];W[oc];B[cp];W[po];B[pp];W[oo];B[qo];W[qn]
//! ```
//!
//! ## Events
//!
//! The lowest layer knows the grammar and no more. It reads these bytes as an enter, nodes, properties and values, and an exit,
//! each with its place. Nothing is wrong with the file, so there is no problem among them.
//!
//! ```
//! use sgf_stream::{Event, events};
//!
//! let bytes = std::fs::read("corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf")?;
//! let (mut nodes, mut problems, mut first) = (0, 0, None);
//! for event in events(&bytes) {
//!     match event? {
//!         Event::Node(_) => nodes += 1,
//!         Event::Problem(_) => problems += 1,
//!         Event::Property(property) if nodes == 2 => {
//!             first.get_or_insert((property.ident().to_string(), property.position().to_string()));
//!         }
//!         _ => {}
//!     }
//! }
//! assert_eq!((nodes, problems), (165, 0));
//! assert_eq!(first, Some(("B".to_owned(), "7:2".to_owned())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Here the events come from a slice. [`Reader`](crate::Reader) reads a file of any size, and [`read`](crate::read) has other
//! faces; the events are the same.
//!
//! ## A visitor
//!
//! A visitor chooses what it wants of a game. This one wants the header, so it leaves the game at its second node, and 164
//! moves are skipped. A visitor sees all games of its source, one after the other: where a tree has depth 1, the next one
//! begins, and what was noted of the game before is dropped.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::convert::Infallible;
//! use std::fs::File;
//! use std::ops::ControlFlow::{self, Continue};
//! use sgf_stream::{Deliver, Descend, Ident, Node, Property, Reader, Step, Tree, Value, Visitor};
//!
//! #[derive(Default)]
//! struct Header {
//!     nodes: u32,
//!     ident: Option<Ident>,
//!     text: BTreeMap<Ident, String>,
//! }
//!
//! impl Visitor for Header {
//!     type Break = Infallible;
//!
//!     fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
//!         if tree.depth() == 1 {
//!             *self = Self::default();
//!         }
//!         Continue(Descend::Into)
//!     }
//!
//!     fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
//!         self.nodes += 1;
//!         Continue(if self.nodes == 1 { Step::Read } else { Step::SkipGame })
//!     }
//!
//!     fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
//!         self.ident = Some(property.ident());
//!         Continue(Deliver::Whole)
//!     }
//!
//!     fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
//!         if let Some(ident) = self.ident {
//!             self.text.insert(ident, value.simple_text().into_owned());
//!         }
//!         Continue(())
//!     }
//! }
//!
//! let mut header = Header::default();
//! let _ = Reader::new(File::open("corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf")?).read(&mut header)?;
//! assert_eq!(header.text[&Ident::PW], "Go Seigen");
//! assert_eq!(header.text[&Ident::PC], "Fukudaya, Kioicho, Chiyoda-ku, Tokyo");
//! assert!(!header.text.contains_key(&Ident::B));
//!
//! let _ = sgf_stream::read_slice(b"(;PB[Dosaku]PW[Chitetsu];B[pd])(;PB[Shusaku];B[qd])", &mut header)?;
//! assert_eq!(header.text, BTreeMap::from([(Ident::PB, "Shusaku".to_owned())]), "the last game, and it alone");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Value::simple_text`](crate::Value::simple_text) uses the next layer, [`text`](mod@crate::text), which knows escapes, line
//! breaks and charsets. Here `CA` states the charset, and each value carries it.
//!
//! ## What it means
//!
//! Until now everything was text. [`semantics`](crate::semantics) knows that the first move is in the upper right corner.
//! [`info`](crate::semantics::info) knows that the game took two days, that White won, and that both are written as the
//! standard asks.
//!
//! ```
//! use sgf_stream::semantics::info::{Dates, GameResult, Outcome, Rank, Reading, WinBy, Winner};
//! use sgf_stream::semantics::{Board, Point};
//! use sgf_stream::{Event, Ident, events};
//!
//! let bytes = std::fs::read("corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf")?;
//! let (mut board, mut ident, mut moves) = (Board::default(), None, Vec::new());
//! for event in events(&bytes) {
//!     match (event?, ident) {
//!         (Event::Property(property), _) => ident = Some(property.ident()),
//!         (Event::Value(value), Some(Ident::B | Ident::W)) => moves.push(board.read_move(value)?.point()),
//!         (Event::Value(value), Some(Ident::DT)) => {
//!             let text = value.simple_text();
//!             let Reading::Exact(dates) = Dates::parse(&text) else { panic!("the standard's form") };
//!             let days: Vec<String> = dates.iter().map(|day| day.to_string()).collect();
//!             assert_eq!(days, ["1957-04-14", "1957-04-15"]);
//!         }
//!         (Event::Value(value), Some(Ident::RE)) => {
//!             let text = value.simple_text();
//!             let win = Outcome::Win { winner: Winner::White, by: WinBy::Resignation };
//!             assert_eq!(GameResult::parse(&text).map(|it| it.outcome), Reading::Exact(win));
//!         }
//!         (Event::Value(value), Some(Ident::BR)) => {
//!             assert_eq!(Rank::parse(&value.simple_text()).value().unwrap().to_string(), "9d");
//!         }
//!         (Event::Value(value), Some(ident)) => board.learn(ident, value),
//!         _ => {}
//!     }
//! }
//! assert_eq!(moves.len(), 164);
//! assert_eq!(moves[0], Some(Point { x: 16, y: 3 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Around the visitor
//!
//! Adapters stand between the reader and a visitor, and can be nested. [`MainLine`](crate::MainLine) leaves variations out;
//! [`Upgrade`](crate::semantics::Upgrade) makes old files look new; [`Paths`](crate::semantics::Paths) says where in the tree
//! each node is. Suppose that someone adds a variation to the game's third move as older programs did: right where it belongs,
//! with the game going on after it.
//!
//! ```
//! use std::convert::Infallible;
//! use sgf_stream::semantics::{OnMainLine, Path, PathVisitor, Paths, AfterVariation, Settled, Upgrade};
//! use sgf_stream::Visitor;
//!
//! /// The numbers of the moves on the main line.
//! #[derive(Default)]
//! struct Main {
//!     moves: Vec<(u64, u64)>,
//! }
//!
//! impl Visitor for Main {
//!     type Break = Infallible;
//! }
//!
//! impl PathVisitor for Main {
//!     fn path(&mut self, path: Option<Path>) {
//!         self.moves.extend(path.filter(|it| it.main_line != OnMainLine::No).map(|it| (it.node, it.move_number)));
//!     }
//!
//!     fn settled(&mut self, it: Settled) {
//!         if it.followed {
//!             self.moves.retain(|(node, _)| !it.nodes.contains(node));
//!         }
//!     }
//! }
//!
//! let game = std::fs::read_to_string("corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf")?;
//! let game = game.replacen(";B[pq]", "(;B[dp]L[dp];W[pp]);B[pq]", 1);
//!
//! let mut paths = Paths::new(Main::default(), AfterVariation::FirstChild);
//! let _ = sgf_stream::read_slice(game.as_bytes(), &mut Upgrade::all(&mut paths).in_every_version())?;
//! let main = paths.into_inner().moves;
//! // The variation took the nodes 3 and 4, and no move of the game.
//! assert_eq!(main[..5], [(0, 1), (1, 1), (2, 2), (5, 3), (6, 4)]);
//! assert_eq!(main.len(), 165);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## A row
//!
//! What most people want of a game is one row in a table. [`record`](crate::record) makes it while the game goes by, from
//! everything that the layers below know, and reuses the row for the next game.
//!
//! ```
//! use std::convert::Infallible;
//! use std::fs::File;
//! use std::ops::ControlFlow;
//! use sgf_stream::record::{GameRecord, Recorder, Wants};
//! use sgf_stream::{Ident, Reader};
//!
//! let mut rows = Vec::new();
//! let mut recorder = Recorder::new(Wants::ALL, |game: &GameRecord| {
//!     rows.push((game.text(Ident::EV).map(String::from), game.year(), game.moves()));
//!     ControlFlow::<Infallible>::Continue(())
//! });
//! let _ = Reader::new(File::open("corpora/pro/1957-04-14-kitani-minoru-go-seigen.sgf")?).read(&mut recorder)?;
//! assert_eq!(rows, [(Some("1st Nihon Saikyo League".to_owned()), Some(1957), Some(164))]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## An archive
//!
//! Twenty million games are read as this one is, and so is a stream that never ends, by a visitor that keeps no more than
//! one game: `Header` and `Recorder` do, if each game is taken where it ends. `Main` and the loop over events collect, and
//! are for one game. The example `opening_book` counts openings over an archive, `heatmap` draws where the first moves fall,
//! and `parallel` reads on all cores.
//!
//! Archives have more damage than this file, and charsets that nobody declares. [`Config::archives`](crate::Config::archives)
//! reads them as the command `sgf` does.

// Each page is also read where the repository is shown, where its links lead to other files. Here, a link that was defined before
// counts, and leads to a module.

pub mod archives {
    // Its example needs the feature.
    #![cfg_attr(any(feature = "archive", not(doctest)), doc = include_str!("archives.md"))]
}

pub mod charsets {
    #![doc = include_str!("charsets.md")]
}

pub mod command {
    #![doc = "[archives]: super::archives\n[damage]: super::damage"]
    #![doc = include_str!("command.md")]
}

pub mod damage {
    #![doc = "[charsets]: super::charsets"]
    #![doc = include_str!("damage.md")]
}

pub mod index {
    #![doc = include_str!("index.md")]
}

pub mod listen {
    #![doc = include_str!("listen.md")]
}

pub mod rows {
    #![doc = "[index]: super::index"]
    #![doc = include_str!("rows.md")]
}
