//! Property identifiers.
//!
//! Owns [`Ident`], the canonical name of a property in one integer, so that comparing, hashing and matching one is as
//! cheap as a number. Invariant: 1 to 16 ASCII letters and digits, packed from the most significant byte down, the rest
//! zero; therefore integers order as names do. Refuses to know what a property means.

use std::fmt;
use std::str::FromStr;

/// How many letters and digits fit into an [`Ident`].
pub(crate) const MAX_LEN: usize = 16;

/// The longest name of a property as it stands in a source, in bytes.
pub(crate) const MAX_RAW_LEN: usize = crate::text::MAX_IDENTIFIER;

/// The canonical name of a property: `CoPyright` is `CP`.
///
/// Lower-case letters are dropped, as FF\[1\] to FF\[3\] ask for; a name of nothing but lower-case letters is kept as it
/// stands. At most 16 letters or digits: the longest that real archives hold (`MULTIGOGM`) has nine.
///
/// ```
/// use sgf_stream::Ident;
///
/// let ident: Ident = "CoPyright".parse()?;
/// assert_eq!(ident, Ident::CP);
/// assert_eq!(ident.to_string(), "CP");
/// # Ok::<(), sgf_stream::IdentError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ident(u128);

impl Ident {
    /// Packs a name as it stands in the source, or `None` where it is empty, holds another byte than a letter or digit, or
    /// has more than 16 canonical ones.
    pub const fn from_raw(raw: &[u8]) -> Option<Self> {
        let mut i = 0;
        while i < raw.len() {
            if !raw[i].is_ascii_alphanumeric() {
                return None;
            }
            i += 1;
        }
        match Self::pack(raw) {
            (ident, 1..=MAX_LEN) => Some(ident),
            _ => None,
        }
    }

    /// Packs the first 16 canonical letters of what the caller knows to be letters and digits, and counts them all.
    #[inline]
    pub(crate) const fn pack(raw: &[u8]) -> (Self, usize) {
        // Nearly all identifiers have one or two upper-case letters.
        match *raw {
            [a] => (Self((a as u128) << 120), 1),
            [a, b] if !a.is_ascii_lowercase() && !b.is_ascii_lowercase() => {
                (Self((a as u128) << 120 | (b as u128) << 112), 2)
            }
            _ => Self::pack_long(raw),
        }
    }

    const fn pack_long(raw: &[u8]) -> (Self, usize) {
        let bare = is_lowercase(raw);
        let mut packed = [0; MAX_LEN];
        let mut len = 0;
        let mut i = 0;
        while i < raw.len() {
            let byte = raw[i];
            if bare || !byte.is_ascii_lowercase() {
                if len < MAX_LEN {
                    packed[len] = byte;
                }
                len += 1;
            }
            i += 1;
        }
        (Self(u128::from_be_bytes(packed)), len)
    }

    /// The number of letters and digits, 1 to 16.
    #[expect(clippy::len_without_is_empty, reason = "an identifier is never empty")]
    pub const fn len(self) -> usize {
        MAX_LEN - (self.0.trailing_zeros() / 8) as usize
    }

    /// The letters and digits, in order.
    pub fn bytes(self) -> impl Iterator<Item = u8> {
        self.0.to_be_bytes().into_iter().take(self.len())
    }

    /// The first three letters or digits, zero where there are fewer.
    #[inline]
    pub(crate) const fn head(self) -> [u8; 3] {
        let [first, second, third, ..] = self.0.to_be_bytes();
        [first, second, third]
    }

    /// For literals in this crate only: a wrong one does not compile.
    pub(crate) const fn literal(name: &str) -> Self {
        match Self::from_raw(name.as_bytes()) {
            Some(ident) => ident,
            None => panic!("not a property identifier"),
        }
    }
}

/// How many entries a table for [`table_index`] has.
pub(crate) const TABLE_LEN: usize = 1 << 10;

/// The index of an identifier of one or two capital letters in a table; if there is only one, `second` is 0.
#[inline]
pub(crate) const fn table_index(first: u8, second: u8) -> usize {
    (first as usize & 0x1F) << 5 | second as usize & 0x1F
}

/// Whether a name has no upper-case letter or digit.
pub(crate) const fn is_lowercase(raw: &[u8]) -> bool {
    let mut i = 0;
    while i < raw.len() {
        if !raw[i].is_ascii_lowercase() {
            return false;
        }
        i += 1;
    }
    true
}

/// What stands before the name that these bytes end with, and that name, which may be empty.
pub(crate) fn split_last(bytes: &[u8]) -> (&[u8], &[u8]) {
    let start = bytes.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    bytes.split_at(start)
}

macro_rules! standard {
    ($($name:ident)*) => {
        /// The properties of FF\[1\] to FF\[4\].
        #[allow(missing_docs)]
        impl Ident {
            $(pub const $name: Self = Self::literal(stringify!($name));)*
        }
    };
}

standard! {
    AB AE AN AP AR AS AW B BL BM BR BS BT C CA CH CP CR DD DM DO DT EL EV EX FF FG GB GC GM GN GW HA HO ID IP IT IY
    KM KO L LB LN LT M MA MN N OB OM ON OP OT OV OW PB PC PL PM PW RE RG RO RU SC SE SI SL SO SQ ST SU SZ TB TC TE TM
    TR TW UC US V VW W WL WR WS WT
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.to_be_bytes();
        let name = str::from_utf8(&bytes[..self.len()]).map_err(|_| fmt::Error)?;
        f.pad(name)
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Compares with the canonical name.
impl PartialEq<str> for Ident {
    fn eq(&self, other: &str) -> bool {
        self.bytes().eq(other.bytes())
    }
}

/// Compares with the canonical name.
impl PartialEq<&str> for Ident {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl FromStr for Ident {
    type Err = IdentError;

    fn from_str(name: &str) -> Result<Self, IdentError> {
        Self::from_raw(name.as_bytes()).ok_or(IdentError)
    }
}

/// The text is no property identifier: empty, over 16 canonical letters, or with a byte that is no letter or digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdentError;

impl fmt::Display for IdentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a property identifier has 1 to 16 letters or digits")
    }
}

impl std::error::Error for IdentError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_letters_are_dropped_unless_there_are_no_others() {
        for (raw, name) in
            [("B", "B"), ("CoPyright", "CP"), ("5A", "5A"), ("abc", "abc"), ("p0", "0"), ("MULTIGOGM", "MULTIGOGM")]
        {
            assert_eq!(Ident::from_raw(raw.as_bytes()).unwrap(), name);
        }
    }

    #[test]
    fn sixteen_fit_and_seventeen_do_not() {
        assert_eq!(Ident::from_raw(b"ABCDEFGHIJKLMNOP").unwrap(), "ABCDEFGHIJKLMNOP");
        assert_eq!(Ident::from_raw(b"ABCDEFGHIJKLMNOP").unwrap().len(), 16);
        assert_eq!(Ident::from_raw(b"ABCDEFGHIJKLMNOPQ"), None);
        assert_eq!(Ident::from_raw(b"AbBcCdDeEfFgGhHiIjJkKlLmMnNoOpP").unwrap(), "ABCDEFGHIJKLMNOP");
    }

    #[test]
    fn other_bytes_than_letters_and_digits_are_refused() {
        for raw in [&b""[..], b"A B", b"\xC3\x84", b"A["] {
            assert_eq!(Ident::from_raw(raw), None);
        }
    }

    #[test]
    fn identifiers_are_ordered_by_name() {
        assert!(Ident::B < Ident::BR && Ident::BR < Ident::C);
        assert_eq!(Ident::AB.len(), 2);
        assert_eq!(format!("[{:>3}]", Ident::AB), "[ AB]");
    }
}
