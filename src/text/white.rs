//! White space as SGF has it.
//!
//! Owns which bytes it is made of: those of the standard library and the vertical tab, which that leaves out. Whoever trims
//! with another set would find a token where the engine finds none.

/// White space between tokens.
#[inline(always)]
pub(crate) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// What stands behind some bytes of white space; more of it takes a closer look.
#[inline(always)]
pub(crate) fn past_white(mut bytes: &[u8]) -> &[u8] {
    for _ in 0..24 {
        match bytes {
            [byte, rest @ ..] if is_white(*byte) => bytes = rest,
            _ => break,
        }
    }
    bytes
}

/// Without white space before them.
pub(crate) fn trim_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_white(byte));
    &bytes[start.unwrap_or(bytes.len())..]
}

/// Without white space behind them.
pub(crate) fn trim_end(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&byte| !is_white(byte));
    &bytes[..last.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vertical_tab_is_white() {
        assert_eq!(
            (trim_start(b"\x0B \r\n\t\x0Ca \x0B"), trim_end(b"\x0B a\x0B\x0C\r\n\t ")),
            (&b"a \x0B"[..], &b"\x0B a"[..])
        );
        assert_eq!(
            (trim_start(b"\x0B"), trim_end(b"\x0B"), trim_start(b""), trim_end(b"")),
            (&b""[..], &b""[..], &b""[..], &b""[..])
        );
    }
}
