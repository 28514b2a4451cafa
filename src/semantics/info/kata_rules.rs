//! Rules given part by part: `koSIMPLEscoreAREAtaxNONEsui0button1whbN`, as `KataGo` writes them into RU.
//!
//! Owns [`KataRules`]. The names and their order are those of `KataGo`'s own documentation of its rules.

use std::fmt;

/// Rules given part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct KataRules {
    /// Which positions may not come again.
    pub ko: Ko,
    /// What is counted.
    pub scoring: Scoring,
    /// Which groups pay for their two eyes.
    pub tax: Tax,
    /// Whether a group of several stones may kill itself.
    pub suicide: bool,
    /// Whether the first to pass gains half a point.
    pub button: bool,
    /// What White gains for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Whether the game may end by passes while dead stones stand on the board.
    pub friendly_pass: bool,
}

/// Which positions may not come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ko {
    /// The last, at once.
    Simple,
    /// None that has been.
    Positional,
    /// None that has been with the same player to move.
    Situational,
    /// None, not counting passes.
    Spight,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scoring {
    /// Stones and what they surround.
    Area,
    /// What is surrounded, and prisoners.
    Territory,
}

/// Which groups pay for their two eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tax {
    /// None.
    None,
    /// Those in seki.
    Seki,
    /// All.
    All,
}

/// What White gains for handicap stones, where stones count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandicapBonus {
    /// Nothing.
    None,
    /// A point for each stone.
    Each,
    /// A point for each stone but one.
    EachButOne,
}

const KO: &[(&str, Ko)] =
    &[("SIMPLE", Ko::Simple), ("POSITIONAL", Ko::Positional), ("SITUATIONAL", Ko::Situational), ("SPIGHT", Ko::Spight)];
const SCORING: &[(&str, Scoring)] = &[("AREA", Scoring::Area), ("TERRITORY", Scoring::Territory)];
const TAX: &[(&str, Tax)] = &[("NONE", Tax::None), ("SEKI", Tax::Seki), ("ALL", Tax::All)];
/// One that begins with another comes before it.
const BONUS: &[(&str, HandicapBonus)] =
    &[("0", HandicapBonus::None), ("N-1", HandicapBonus::EachButOne), ("N", HandicapBonus::Each)];
const SWITCH: &[(&str, bool)] = &[("0", false), ("1", true)];

impl KataRules {
    /// Reads exactly this form.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let ko = part(&mut rest, "ko", KO)?;
        let scoring = part(&mut rest, "score", SCORING)?;
        let tax = part(&mut rest, "tax", TAX)?;
        let suicide = part(&mut rest, "sui", SWITCH)?;
        let button = part(&mut rest, "button", SWITCH).unwrap_or(false);
        let handicap_bonus = part(&mut rest, "whb", BONUS).unwrap_or(HandicapBonus::None);
        let friendly_pass = part(&mut rest, "fpok", SWITCH).unwrap_or(false);
        rest.is_empty().then_some(Self { ko, scoring, tax, suicide, button, handicap_bonus, friendly_pass })
    }
}

/// In the form in which it is read; what is off is left out, as `KataGo` does.
impl fmt::Display for KataRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ko, scoring, tax) = (name(KO, self.ko), name(SCORING, self.scoring), name(TAX, self.tax));
        write!(f, "ko{ko}score{scoring}tax{tax}sui{}", u8::from(self.suicide))?;
        if self.button {
            f.write_str("button1")?;
        }
        if self.handicap_bonus != HandicapBonus::None {
            write!(f, "whb{}", name(BONUS, self.handicap_bonus))?;
        }
        if self.friendly_pass { f.write_str("fpok1") } else { Ok(()) }
    }
}

fn part<T: Copy>(rest: &mut &str, key: &str, values: &[(&str, T)]) -> Option<T> {
    let behind = rest.strip_prefix(key)?;
    let (behind, value) = values.iter().find_map(|&(name, value)| Some((behind.strip_prefix(name)?, value)))?;
    *rest = behind;
    Some(value)
}

fn name<T: Copy + PartialEq>(values: &[(&'static str, T)], wanted: T) -> &'static str {
    values.iter().find(|&&(_, value)| value == wanted).map_or("", |&(name, _)| name)
}
