//! Reading values as text in the charsets of archives, compared with reading them raw, and with only decoding them.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::convert::Infallible;
use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, criterion_group, criterion_main};
use encoding_rs::Encoding;
use sgf_stream::text::EscapeUnit;
use sgf_stream::{Charsets, Config, Value, Visitor};
use support::{CHUNK, push_chunks};

/// Labels, each with a typical comment.
const COMMENTS: [(&str, &str); 9] = [
    ("UTF-8", "黑棋在这里必须飞起来，否则白棋打入之后就没有好的应手了。"),
    ("GBK", "黑棋在这里必须飞起来，否则白棋打入之后就没有好的应手了。"),
    ("GB18030", "黑棋在这里必须飞起来，否则白棋打入之后就没有好的应手了。"),
    ("Big5", "黑棋在這裡必須飛起來，否則白棋打入之後就沒有好的應手了。"),
    ("Shift_JIS", "黒はここでケイマしないと、白に打ち込まれて困ります。"),
    ("EUC-JP", "黒はここでケイマしないと、白に打ち込まれて困ります。"),
    ("EUC-KR", "흑은 여기서 날일자로 뛰어야 합니다. 백이 침입하면 좋은 수가 없습니다."),
    ("KOI8-R", "Чёрным нужно прыгнуть сюда, иначе белые вторгнутся."),
    ("windows-1252", "Schwarz muß hier springen, sonst dringt Weiß ein: déjà vu."),
];

/// How many bytes of SGF are read per charset.
const LEN: usize = 4 << 20;

#[derive(Default)]
struct Raw(usize);

impl Visitor for Raw {
    type Break = Infallible;

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.0 += value.raw().len();
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Decoded(usize);

impl Visitor for Decoded {
    type Break = Infallible;

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.0 += value.text().len();
        ControlFlow::Continue(())
    }
}

fn read<V: Visitor>(config: &Config, bytes: &[u8], visitor: V) -> V {
    push_chunks(config, bytes, CHUNK, visitor)
}

fn text(c: &mut Criterion) {
    for (label, comment) in COMMENTS {
        let encoding = Encoding::for_label(label.as_bytes()).expect("a charset of encoding_rs");
        let (encoded, _, replaced) = encoding.encode(comment);
        assert!(!replaced, "{label}");
        // Escaped by character: a backslash within a character is not doubled.
        let moves = [b";B[pd]C[", &*encoded, b"];W[dp]"].concat().repeat(40);
        let game = [b"(;FF[4]CA[", label.as_bytes(), b"]", &moves, b")\n"].concat();
        let games = LEN / game.len();
        let bytes = game.repeat(games);
        let alone = encoded.repeat(games * 40);

        let raw = Config::new().charsets(Charsets::Raw);
        let decoded = Config::new().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto);
        let beside = "4".len() + label.len() + 80 * "pd".len();
        assert_eq!(read(&decoded, &bytes, Decoded::default()).0, games * (beside + 40 * comment.len()), "{label}");

        let mut group = timing::group(c, &format!("text in {label}"), &bytes);
        group.bench_function("raw", |b| b.iter(|| read(&raw, black_box(&bytes), Raw::default()).0));
        group.bench_function("text", |b| b.iter(|| read(&decoded, black_box(&bytes), Decoded::default()).0));
        group.bench_function("encoding_rs alone", |b| {
            b.iter(|| encoding.decode_without_bom_handling(black_box(&alone)).0.len());
        });
        group.finish();
    }
}

criterion_group!(benches, text);
criterion_main!(benches);
