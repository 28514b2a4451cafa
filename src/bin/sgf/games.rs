//! The names of games by their number, as the FF\[4\] standard lists them under GM.

const NAMES: [&str; 40] = [
    "Go",
    "Othello",
    "chess",
    "Gomoku and Renju",
    "Nine Men's Morris",
    "Backgammon",
    "Chinese chess",
    "Shogi",
    "Lines of Action",
    "Ataxx",
    "Hex",
    "Jungle",
    "Neutron",
    "Philosopher's Football",
    "Quadrature",
    "Trax",
    "Tantrix",
    "Amazons",
    "Octi",
    "Gess",
    "Twixt",
    "Zertz",
    "Plateau",
    "Yinsh",
    "Punct",
    "Gobblet",
    "Hive",
    "Exxit",
    "Hnefatal",
    "Kuba",
    "Tripples",
    "Chase",
    "Tumbling Down",
    "Sahara",
    "Byte",
    "Focus",
    "Dvonn",
    "Tamsk",
    "Gipf",
    "Kropki",
];

/// The name of the game that a value of GM stands for.
pub(crate) fn name(value: &str) -> Option<&'static str> {
    let number: usize = value.parse().ok()?;
    NAMES.get(number.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn numbers_begin_with_go() {
        assert_eq!(name("1"), Some("Go"));
        assert_eq!(name("11"), Some("Hex"));
        assert_eq!(name("40"), Some("Kropki"));
        for value in ["0", "41", "", "Go", "-1"] {
            assert_eq!(name(value), None, "{value}");
        }
    }
}
