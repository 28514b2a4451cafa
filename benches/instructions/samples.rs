//! Samples whose instructions are counted and whose time is not: what costs the guesses about charsets, games and brackets most.
//!
//! Each is exactly `len` bytes, so the last game is truncated.

/// Games from problem collections, and of games other than Go, which cost more than moves: lists of stones, labels, short
/// variations, other boards, roots without information, and names in undeclared GBK.
pub fn problems(len: usize) -> Vec<u8> {
    let setup = b"(;AB[ba][bb][bc][cd]AW[ca][cb][da][dd][eb]C[Black lives]LB[aa:1][ab:2]\n(;B[ac];W[ab]\n(;B[ad]C[right]))\n(;B[aa]C[no]))\n";
    let names = b"(;GM[1]SZ[19]PB[\xBF\xD7\xBD\xDC]PW[\xB9\xC5\xC1\xA6]BR[9\xB6\xCE]EV[\xC3\xFB\xC8\xCB\xD5\xBD]RE[\xBA\xDA\xD6\xD0\xC5\xCC\xCA\xA4];B[pd];W[])\n";
    let hex = b"(;FF[4]GM[11]SZ[11];B[a3];W[swap-pieces];B[f6];W[k11];B[e7])\n";
    [&setup[..], names, hex].concat().into_iter().cycle().take(len).collect()
}

/// Games with long ASCII comments and no declared charset.
pub fn texts(len: usize) -> Vec<u8> {
    let node = |words: usize| format!(";B[pd]C[{}]\n", "what is said of this move ".repeat(words));
    let game = ["(;GM[1]SZ[19]", &node(30), &node(80), &node(200), ")\n"].concat();
    game.into_bytes().into_iter().cycle().take(len).collect()
}

/// Games whose comments quote games: each quoted node may be the root of another game.
pub fn quotes(len: usize) -> Vec<u8> {
    let game = format!("(;GM[1]SZ[19];B[pd]C[{}])\n", "(;B[aa\\];W[bb\\]\n".repeat(200));
    game.into_bytes().into_iter().cycle().take(len).collect()
}

/// Games in Latin letters that are labelled GB2312.
pub fn damage(len: usize) -> Vec<u8> {
    let game = [
        &b"(;GM[1]SZ[19]CA[GB2312]"[..],
        &b";B[pd]C[Wei\xDF spielt gr\xF6\xDFer f\xFCr sp\xE4ter]".repeat(100),
        b")\n",
    ]
    .concat();
    game.into_iter().cycle().take(len).collect()
}

/// Games with comments in undeclared windows-1251. Values are taken whole, so the charset is decided before each is
/// delivered.
pub fn letters(len: usize) -> Vec<u8> {
    let comment = b";B[pd]C[\xC1\xE5\xEB\xFB\xE5 \xF3\xF1\xEF\xE5\xEB\xE8 \xE2 \xF3\xE3\xEE\xEB]";
    let game = [&b"(;GM[1]SZ[19]"[..], &comment.repeat(60), b")\n"].concat();
    game.into_iter().cycle().take(len).collect()
}
