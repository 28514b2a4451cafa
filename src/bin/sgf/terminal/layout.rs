//! Numbers and names in columns.
//!
//! Owns the grid that all sections of a report share, how numbers are written, and colours. Refuses to know what is shown.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

/// Lines of one shape: a label, a number, and something about it. All share the same columns.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    lines: Vec<Line>,
}

#[derive(Debug)]
enum Line {
    Blank,
    Heading { title: String, caption: String },
    Row { label: String, number: String, note: Note },
}

/// The note at the right of a number.
#[derive(Debug)]
pub(crate) enum Note {
    None,
    Text(String),
    /// A part of a whole, and the part with the longest bar; without that there is no bar.
    Share {
        part: u64,
        whole: u64,
        longest: u64,
    },
    /// Damage, and where it is.
    Damage(String),
}

impl Grid {
    const MARGIN: &str = "  ";
    const GAP: &str = "   ";
    const BAR: u32 = 24;

    /// A new section, with an empty line above it. The caption stands above the notes.
    pub(crate) fn heading(&mut self, title: &str, caption: &str) {
        self.lines.push(Line::Blank);
        self.lines.push(Line::Heading { title: title.to_owned(), caption: caption.to_owned() });
    }

    pub(crate) fn blank(&mut self) {
        self.lines.push(Line::Blank);
    }

    pub(crate) fn row(&mut self, label: impl Into<String>, number: impl Into<String>, note: Note) {
        self.lines.push(Line::Row { label: label.into(), number: number.into(), note });
    }

    pub(crate) fn write(&self, colours: bool, out: &mut impl Write) -> io::Result<()> {
        let width = |text: &str| text.width();
        let (mut labels, mut numbers) = (0, 0);
        for line in &self.lines {
            if let Line::Row { label, number, .. } = line {
                labels = labels.max(width(label));
                numbers = numbers.max(width(number));
            }
        }
        let paint = Paint(colours);
        for line in &self.lines {
            match line {
                Line::Blank => writeln!(out)?,
                Line::Heading { title, caption } => {
                    let rule = "─".repeat((labels + Self::GAP.len() + numbers).saturating_sub(width(title) + 1));
                    write!(out, "{}{} {}", Self::MARGIN, paint.bold(title), paint.dim(&rule))?;
                    Self::write_note(&paint.dim(caption), out)?;
                }
                Line::Row { label, number, note } => {
                    let label_pad = " ".repeat(labels - width(label));
                    let number_pad = " ".repeat(numbers - width(number));
                    write!(out, "{}{label}{label_pad}{}{number_pad}{number}", Self::MARGIN, Self::GAP)?;
                    let note = match note {
                        Note::None => String::new(),
                        Note::Text(text) => paint.dim(text),
                        Note::Damage(text) => paint.yellow(text),
                        Note::Share { part, whole, longest } => {
                            let bar = bar(*part, *longest);
                            let gap = if bar.is_empty() { "" } else { "  " };
                            format!("{}{gap}{}", percent(*part, *whole), paint.cyan(&bar))
                        }
                    };
                    Self::write_note(&note, out)?;
                }
            }
        }
        Ok(())
    }

    /// The end of a line, without trailing white space.
    fn write_note(note: &str, out: &mut impl Write) -> io::Result<()> {
        if note.is_empty() { writeln!(out) } else { writeln!(out, "{}{note}", Self::GAP) }
    }
}

/// A percentage of constant width; anything more than nothing is shown as such.
fn percent(part: u64, whole: u64) -> String {
    let percent = 100.0 * ratio(part, whole);
    if part > 0 && percent < 0.05 { " <0.1 %".to_owned() } else { format!("{percent:>5.1} %") }
}

/// A bar of block characters, exact to an eighth of one. Anything more than nothing is visible.
fn bar(part: u64, longest: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if longest == 0 || part == 0 {
        return String::new();
    }
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    let eighths = (ratio(part, longest) * f64::from(Grid::BAR * 8)).round() as usize;
    let eighths = eighths.max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Colours, or none.
struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }

    fn cyan(&self, text: &str) -> String {
        self.with("36", text)
    }

    fn yellow(&self, text: &str) -> String {
        self.with("33", text)
    }
}

/// Whether colours can be seen and are not unwanted.
pub(crate) fn colours(out: &impl IsTerminal) -> bool {
    let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    out.is_terminal() && !unwanted && env::var_os("TERM").is_none_or(|term| term != "dumb") && shows_colours()
}

/// Whether a terminal obeys the codes for colours. The console of Windows does if it is asked to; others there have a name.
#[cfg(windows)]
fn shows_colours() -> bool {
    anstyle_query::windows::enable_ansi_colors() == Some(true) || env::var_os("TERM").is_some()
}

#[cfg(not(windows))]
const fn shows_colours() -> bool {
    true
}

/// `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 file`, `1,234 files`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// The ratio of two numbers. Above 2^53 the last digits are lost, which nobody will see.
#[expect(clippy::cast_precision_loss, reason = "three digits of the result are shown")]
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// The first three digits of a number: `1.23`, `12.3`, `123`, `1,234`.
pub(crate) fn three_digits(number: f64) -> String {
    // The limits are where rounding would show a fourth digit.
    match number {
        n if n < 9.995 => format!("{n:.2}"),
        n if n < 99.95 => format!("{n:.1}"),
        #[expect(clippy::cast_sign_loss, reason = "sizes and rates are not negative")]
        n => thousands(n.round() as u64),
    }
}

/// A number of bytes for quick reading, in powers of 1000, as disks are sold.
pub(crate) fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut number = ratio(bytes, 1);
    for unit in ["kB", "MB", "GB", "TB"] {
        number /= 1e3;
        if number < 999.5 {
            return format!("{} {unit}", three_digits(number));
        }
    }
    format!("{} PB", three_digits(number / 1e3))
}

/// How long something took or takes, as exactly as it matters.
pub(crate) fn time(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{:.3} s", time.as_secs_f64()),
        1..100 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 100..6000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {:02} min", thousands(seconds / 3600), seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_groups_of_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(thousands(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (9_996, "10.0 kB"),
            (99_960, "100 kB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (20_300_000_000, "20.3 GB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(7, 0), "");
        assert_eq!(bar(1, 100_000), "▏");
        assert_eq!(bar(5, 10), "█".repeat(12));
        assert_eq!(bar(10, 10), "█".repeat(24));
    }

    #[test]
    fn long_times_are_rounded() {
        for (millis, text) in
            [(0, "0.000 s"), (213, "0.213 s"), (18_240, "18.2 s"), (312_000, "5 min 12 s"), (7_260_000, "2 h 01 min")]
        {
            assert_eq!(time(Duration::from_millis(millis)), text);
        }
    }
}
