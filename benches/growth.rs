//! Looks for inputs whose reading takes longer than in proportion to their length.
//!
//! The inputs are random: up to three short pieces, each repeated many times, which is the form of every such input that was
//! ever found. With a seed, every other one is a change to the slowest so far, as slow inputs have slower neighbours. Each is read
//! in one of the ways below, once with its pieces repeated a few times and again four times as often. If that takes more than twice
//! as long as it should, it is done once more at four times the length: a figure of one run says little. The program ends with an
//! error if something grew too fast twice in a row. On a busy machine, read what it names again before you believe it.
//!
//! ```sh
//! cargo bench --bench growth -- --seed 7 --seconds 60
//! ```

mod support;

use std::convert::Infallible;
use std::fmt::{self, Display};
use std::hint::black_box;
use std::ops::ControlFlow::{self, Continue};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use sgf_stream::record::{GameRecord, Recorder, Wants};
use sgf_stream::semantics::Upgrade;
use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config, Descend, GameDecoder, GameStarts, Limits, ParallelReader, Parser, Tree, Visitor};
use support::{Count, HALVES, Headers, NoValues, Over, Rng, TOKENS};
use tokio_util::codec::Decoder;

/// Between the lengths of an input.
const STEP: usize = 4;

/// The least time that is compared: a shorter one is not a matter of length.
const LEAST: Duration = Duration::from_millis(20);

/// The second of the three lengths.
const LEN: usize = if cfg!(debug_assertions) { 32 << 10 } else { 128 << 10 };

/// How a game begins.
const HEADS: &[&[u8]] =
    &[b"(", b"(;", b"(;FF[4]GM[1]", b"(;CA[GBK]", b"(;CA[Big5]C[", b"(;C[", b"(;CA[UTF-8]", b"(;CA[Shift_JIS]C[\x83]"];

/// A part of an input: a run that is repeated until it fills a share of the length.
#[derive(Clone)]
struct Part {
    /// A unit that is repeated this many times, and what ends it.
    unit: Vec<u8>,
    times: usize,
    end: Vec<u8>,
    /// What follows all of it, once.
    then: Vec<u8>,
}

impl Part {
    fn new(rng: &mut Rng) -> Self {
        Self {
            unit: piece(rng, 5),
            times: if rng.one_in(4) { 1 + rng.below(1000) } else { 1 },
            end: if rng.one_in(4) { piece(rng, 4) } else { Vec::new() },
            then: if rng.one_in(3) { piece(rng, 4) } else { Vec::new() },
        }
    }
}

#[derive(Clone)]
struct Input {
    head: &'static [u8],
    parts: Vec<Part>,
}

impl Input {
    fn new(rng: &mut Rng) -> Self {
        let head = rng.pick(HEADS);
        Self { head, parts: (0..=rng.below(3)).map(|_| Part::new(rng)).collect() }
    }

    /// This input with one thing changed.
    fn changed(&self, rng: &mut Rng) -> Self {
        let mut changed = self.clone();
        let at = rng.below(self.parts.len());
        let part = &mut changed.parts[at];
        match rng.below(6) {
            0 => changed.head = rng.pick(HEADS),
            1 => changed.parts.insert(at, Part::new(rng)),
            2 => part.end = piece(rng, 4),
            3 => part.then = piece(rng, 4),
            4 => part.unit.extend_from_slice(token(rng)),
            _ => {
                let from = rng.below(part.unit.len());
                part.unit.splice(from..=from, token(rng).iter().copied());
            }
        }
        changed
    }

    fn bytes(&self, len: usize) -> Vec<u8> {
        let part = |part: &Part| {
            let run = [part.unit.repeat(part.times), part.end.clone()].concat();
            [run.repeat((len / self.parts.len() / run.len()).max(1)), part.then.clone()].concat()
        };
        [self.head.to_vec(), self.parts.iter().flat_map(part).collect()].concat()
    }
}

/// As a sum of products, with N for many.
impl Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.head.escape_ascii())?;
        for Part { unit, times, end, then } in &self.parts {
            let [unit, end, then] = [unit, end, then].map(|bytes| bytes.escape_ascii());
            write!(f, " + ('{unit}' * {times} + '{end}') * N + '{then}'")?;
        }
        Ok(())
    }
}

fn piece(rng: &mut Rng, most: usize) -> Vec<u8> {
    (0..=rng.below(most)).flat_map(|_| token(rng)).copied().collect()
}

fn token(rng: &mut Rng) -> &'static [u8] {
    let tokens = if rng.one_in(3) { HALVES } else { TOKENS };
    rng.pick(tokens)
}

/// A configuration and its name.
type Setting = (&'static str, Config);

fn settings() -> Vec<Setting> {
    let mut small = Limits::untrusted();
    (small.value, small.property_values, small.node_properties, small.depth) = (1000, 3, 5, 4);
    (small.game, small.problems) = (20_000, 10);
    vec![
        ("all repairs", Config::archives()),
        ("escapes by character", Config::archives().escape_unit(EscapeUnit::Character)),
        ("escapes by byte", Config::archives().escape_unit(EscapeUnit::Byte)),
        ("labels only", Config::archives().charsets(Charsets::Declared)),
        ("all in GBK", Config::archives().charsets(Charsets::Forced(Charset::GBK))),
        ("all in HZ", Config::archives().charsets(Charsets::Forced(Charset::HZ))),
        ("one charset", Config::archives().charsets(Charsets::Once).escape_unit(EscapeUnit::Character)),
        ("no repairs", Config::new()),
        ("small limits", Config::archives().limits(small.clone())),
        ("small limits, all in Big5", Config::archives().limits(small).charsets(Charsets::Forced(Charset::BIG5))),
    ]
}

/// A way to read everything, and its name.
type Reader = (&'static str, fn(&Config, &[u8]));

const READERS: &[Reader] = &[
    ("counted", |config, bytes| parse(config, bytes, bytes.len(), Count::default())),
    ("counted in chunks", |config, bytes| parse(config, bytes, 1000, Count::default())),
    ("headers", |config, bytes| parse(config, bytes, bytes.len(), Headers::default())),
    ("no values", |config, bytes| parse(config, bytes, bytes.len(), NoValues::default())),
    ("over games", |config, bytes| parse(config, bytes, bytes.len(), Over::default())),
    ("over variations", |config, bytes| parse(config, bytes, 1000, OverVariations)),
    ("upgraded", |config, bytes| parse(config, bytes, bytes.len(), Upgrade::all(Count::default()))),
    ("records", |config, bytes| {
        let records = |record: &GameRecord| {
            black_box(record);
            Continue::<Infallible>(())
        };
        parse(config, bytes, bytes.len(), Recorder::new(Wants::ALL, records));
    }),
    ("cut between games", |config, bytes| {
        let mut starts = GameStarts::with_config(bytes, config.clone());
        while starts.nth(0).expect("a slice does not fail").is_some() {}
    }),
    ("decoded", |config, bytes| {
        let (mut decoder, mut buffer) = (GameDecoder::with_config(config.clone()), BytesMut::new());
        for chunk in bytes.chunks(4 << 10) {
            buffer.extend_from_slice(chunk);
            while decoder.decode(&mut buffer).expect("lenient reading goes on").is_some() {}
        }
        while decoder.decode_eof(&mut buffer).expect("lenient reading goes on").is_some() {}
    }),
    ("two threads", |config, bytes| {
        let reader = ParallelReader::new().config(config.clone()).threads(2).block_len(16 << 10);
        let _ = reader.merge(bytes, Count::default, |_| Continue(())).expect("lenient reading goes on");
    }),
];

struct OverVariations;

impl Visitor for OverVariations {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        Continue(if tree.depth() == 1 { Descend::Into } else { Descend::Over })
    }
}

fn parse(config: &Config, bytes: &[u8], chunk: usize, mut visitor: impl Visitor) {
    let mut parser = Parser::with_config(config.clone());
    for chunk in bytes.chunks(chunk) {
        let _ = parser.feed(chunk, &mut visitor).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut visitor).expect("lenient reading goes on");
}

/// A length and how long it takes.
type Times = (usize, Duration);

/// How long it takes at this length and at the next, and whether that is out of proportion.
fn growth(input: &Input, len: usize, config: &Config, read: fn(&Config, &[u8])) -> (bool, [Times; 2]) {
    let [short, long] = [len, STEP * len].map(|len| input.bytes(len));
    let time = |bytes: &[u8]| {
        let start = Instant::now();
        read(config, bytes);
        start.elapsed()
    };
    let slower = |short_time: Duration, long_time: Duration| {
        let in_proportion = short_time.as_nanos() * long.len() as u128 / short.len() as u128;
        long_time > LEAST && long_time.as_nanos() > 2 * in_proportion
    };
    let (short_time, mut long_time) = (time(&short), time(&long));
    for _ in 0..3 {
        if slower(short_time, long_time) {
            // Something else may have run meanwhile.
            long_time = long_time.min(time(&long));
        }
    }
    (slower(short_time, long_time), [(short.len(), short_time), (long.len(), long_time)])
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let (seed, seconds, most) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // As a test, the inputs are the same on every machine.
        [] => (Ok(1), Ok(60), 200),
        ["--seed", seed, "--seconds", seconds] => (seed.parse(), seconds.parse(), u64::MAX),
        _ => {
            eprintln!("usage: growth [--seed NUMBER --seconds NUMBER]");
            return ExitCode::from(2);
        }
    };
    let (Ok(seed), Ok(seconds)) = (seed, seconds) else {
        eprintln!("growth: a seed and seconds are whole numbers");
        return ExitCode::from(2);
    };
    // Which inputs are slow depends on the machine.
    let is_search = most == u64::MAX;
    let settings = settings();
    let (start, mut rng) = (Instant::now(), Rng::new(seed));
    let mut slowest: Vec<Option<(u128, Input)>> = vec![None; settings.len() * READERS.len()];
    let (mut inputs, mut found) = (0_u64, 0_u64);
    while inputs < most && start.elapsed() < Duration::from_secs(seconds) {
        let way = rng.below(slowest.len());
        let ((setting, config), (reader, read)) = (&settings[way / READERS.len()], READERS[way % READERS.len()]);
        let input = match &slowest[way] {
            Some((_, input)) if rng.one_in(2) => input.changed(&mut rng),
            _ => Input::new(&mut rng),
        };
        inputs += 1;
        let (grows, [first, second]) = growth(&input, LEN / STEP, config, read);
        let picoseconds_a_byte = 1000 * second.1.as_nanos() / second.0 as u128;
        if is_search && slowest[way].as_ref().is_none_or(|(slowest, _)| picoseconds_a_byte > *slowest) {
            slowest[way] = Some((picoseconds_a_byte, input.clone()));
        }
        if !grows {
            continue;
        }
        let (true, [_, third]) = growth(&input, LEN, config, read) else { continue };
        found += 1;
        // Its neighbours would all be found, too.
        slowest[way] = None;
        println!("{reader}, {setting}: {first:?}, {second:?}, {third:?}: {input}");
    }
    println!("growth: {found} of {inputs} inputs take longer than in proportion to their length");
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
