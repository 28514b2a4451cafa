//! Going through a text as a person reads it: without regard to case, width of characters, or which of the forms that
//! China, Taiwan and Japan write a character in.
//!
//! Invariant: a place only moves forward, and what is left is always a tail of the text, so that remarks can be handed
//! out as they were written. Nothing is copied.
//!
//! Owns [`Scan`], a place in a text. Refuses to know any words.

use super::words::Words;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// The text that has not been read, as it was written.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next character, folded.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next().map(fold)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(fold(next))
    }

    pub(super) fn skip_while(&mut self, skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(|c| skipped(fold(c)));
    }

    pub(super) fn skip_spaces(&mut self) {
        self.skip_while(|c| c == ' ');
    }

    /// Takes one character, which must be given folded.
    pub(super) fn eat_char(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a word, which must be given folded. A word in an alphabet must end where a word of the text does.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        match self.after(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes a name in any spelling. It must end where a word does; an empty one is never found.
    pub(super) fn eat_name(&mut self, name: &str) -> bool {
        let mut next = *self;
        let Some(last) = name.chars().next_back().map(fold) else { return false };
        let is_here = name.chars().map(fold).all(|wanted| next.bump() == Some(wanted));
        let goes_on = is_word(last) && next.peek().is_some_and(is_word);
        if is_here && !goes_on {
            *self = next;
        }
        is_here && !goes_on
    }

    /// Takes the longest of the words that stands here.
    pub(super) fn eat_one(&mut self, words: &[&str]) -> bool {
        self.eat_longest(words, |word| word).is_some()
    }

    /// The same for a table of words with their meanings.
    pub(super) fn eat_any<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        self.eat_longest(table, |(word, _)| word).map(|(_, meaning)| meaning)
    }

    fn eat_longest<R: Copy>(&mut self, rows: &[R], word: impl Fn(&R) -> &str) -> Option<R> {
        // A first byte is compared sooner than a character.
        let first = self.peek()?.encode_utf8(&mut [0; 4]).bytes().next();
        let mut best: Option<(&'a str, R)> = None;
        for row in rows.iter().filter(|row| word(row).bytes().next() == first) {
            if let Some(rest) = self.after(word(row))
                && best.is_none_or(|(other, _)| rest.len() < other.len())
            {
                best = Some((rest, *row));
            }
        }
        let (rest, row) = best?;
        self.rest = rest;
        Some(row)
    }

    /// The same for a table of many words.
    pub(super) fn eat_word<T: Copy>(&mut self, words: &Words<T>) -> Option<T> {
        self.eat_any(words.that_begin_with(self.peek()?))
    }

    /// The number that the next digits form, and how many they are. `None` without a digit, and beyond 18 digits.
    pub(super) fn digits(&mut self) -> Option<(i64, usize)> {
        let (mut number, mut count, mut next) = (0, 0, *self);
        while let Some(digit) = next.peek().and_then(|c| c.to_digit(10)) {
            next.bump();
            count += 1;
            if count > 18 {
                return None;
            }
            number = number * 10 + i64::from(digit);
        }
        (count > 0).then(|| {
            *self = next;
            (number, count)
        })
    }

    /// Whether the rest is empty, or set off from what has been read. A number that continues is not set off.
    pub(super) fn is_set_off(mut self) -> bool {
        self.skip_spaces();
        let mark = self.bump();
        match (mark, self.peek()) {
            (None | Some('(' | ')' | '[' | '!' | '、' | '。'), _) => true,
            (Some(',' | ';'), next) => next.is_none_or(|c| !c.is_ascii_digit()),
            (Some('.'), next) => next.is_none_or(|c| c == ' '),
            (Some(_), _) => false,
        }
    }

    fn after(&self, word: &str) -> Option<&'a str> {
        let mut chars = self.rest.chars();
        let mut last = ' ';
        for wanted in word.chars() {
            let before = last;
            last = fold(chars.next()?);
            // `中 盘 胜`: characters that are words need no space between them, but may have one.
            while last == ' ' && before != ' ' && is_of_no_alphabet(wanted) {
                last = fold(chars.next()?);
            }
            if last != wanted {
                return None;
            }
        }
        let cut = is_of_alphabet(last) && chars.clone().next().is_some_and(|c| is_of_alphabet(fold(c)));
        (!cut).then_some(chars.as_str())
    }
}

/// A text without white space and control characters at both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control())
}

/// The text without brackets or quotes around all of it.
pub(super) fn bare(text: &str) -> &str {
    let inner = |(open, close)| text.strip_prefix(open)?.strip_suffix(close).filter(|it: &&str| !it.contains(open));
    [('(', ')'), ('[', ']'), ('"', '"'), ('（', '）')].into_iter().find_map(inner).unwrap_or(text)
}

/// A text without white space at its ends, if a person would read it at all.
pub(super) fn short(text: &str) -> Option<&str> {
    Some(trim(text)).filter(|text| text.len() <= 1_024)
}

/// The rest as a remark: without the marks that set it off, and without parentheses around all of it.
pub(super) fn remark(rest: &str) -> &str {
    let set_off = |c: char| matches!(fold(c), ' ' | ',' | ';' | ':' | '.' | '!' | '。' | '、');
    let rest = trim(rest).trim_start_matches(set_off).trim_end_matches(|c| matches!(fold(c), ' ' | ',' | ';' | ':'));
    let rest = rest.strip_suffix('.').filter(|rest| rest.starts_with('(') && rest.ends_with(')')).unwrap_or(rest);
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}'), ('（', '）')] {
        let inner = rest.strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains([open, close])) {
            return trim(inner);
        }
    }
    rest
}

/// Whether words consist of such letters without spaces in between; Chinese, Japanese and Korean words need no spaces
/// around them either.
fn is_of_alphabet(c: char) -> bool {
    c.is_alphabetic() && c < '\u{1100}'
}

/// Whether names in an alphabet consist of such characters.
fn is_word(c: char) -> bool {
    is_of_alphabet(c) || c.is_ascii_digit() || c == '_'
}

/// Whether it is a Chinese or Japanese character.
fn is_of_no_alphabet(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}')
}

/// Characters in order, each with the form that the tables here are written in.
#[rustfmt::skip]
const VARIANTS: &[(char, char)] = &[
    ('両', '两'), ('亀', '龟'), ('個', '个'), ('兩', '两'), ('則', '则'), ('勝', '胜'), ('参', '三'), ('參', '三'), ('員', '员'), ('啓', '启'), ('啟', '启'), ('國', '国'), ('圍', '围'),
    ('報', '报'), ('壱', '一'), ('寛', '宽'), ('寬', '宽'), ('寳', '宝'), ('寶', '宝'), ('対', '对'), ('專', '专'), ('對', '对'), ('弐', '二'), ('後', '后'), ('応', '应'),
    ('慶', '庆'), ('應', '应'), ('戦', '战'), ('戰', '战'), ('掛', '挂'), ('擊', '击'), ('敗', '败'), ('數', '数'), ('時', '时'), ('暦', '历'), ('暫', '暂'), ('曆', '历'), ('東', '东'), ('棄', '弃'),
    ('業', '业'), ('樂', '乐'), ('権', '权'), ('權', '权'), ('歴', '历'), ('歷', '历'), ('決', '决'), ('無', '无'), ('発', '发'), ('發', '发'), ('盤', '盘'), ('祿', '禄'),
    ('禎', '祯'), ('約', '约'), ('級', '级'), ('終', '终'), ('結', '结'), ('統', '统'), ('緒', '绪'), ('續', '续'), ('聖', '圣'), ('職', '职'), ('華', '华'), ('萬', '万'),
    ('號', '号'), ('規', '规'), ('計', '计'), ('認', '认'), ('読', '读'), ('諭', '谕'), ('讀', '读'), ('讓', '让'), ('豊', '丰'), ('豐', '丰'), ('貞', '贞'), ('負', '负'),
    ('貳', '二'), ('貼', '贴'), ('賽', '赛'), ('贏', '赢'), ('載', '载'), ('輪', '轮'), ('輸', '输'), ('進', '进'), ('違', '违'), ('選', '选'), ('還', '还'), ('鐘', '钟'), ('長', '长'),
    ('間', '间'), ('雙', '双'), ('韓', '韩'), ('順', '顺'), ('預', '预'), ('餘', '余'), ('黒', '黑'), ('點', '点'), ('龜', '龟'),
];

/// One form for characters that mean the same.
pub(super) fn fold(c: char) -> char {
    match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        '\0'..='\x1F' | '\x7F' | '\u{A0}' | '\u{3000}' => ' ',
        // Korean syllables have no case. Below, each would be searched for.
        '!'..='~' | '\u{AC00}'..='\u{D7A3}' => c,
        '\u{FF01}'..='\u{FF5E}' => fold(char::from_u32(c as u32 - 0xFEE0).unwrap_or(c)),
        '\u{2010}'..='\u{2015}' | '−' => '-',
        '〜' | '∼' | '〰' => '~',
        '〇' | '○' | '◯' => '零',
        '\u{4E00}'..='\u{9FFF}' => {
            VARIANTS.binary_search_by_key(&c, |&(variant, _)| variant).map_or(c, |at| VARIANTS[at].1)
        }
        _ if c.is_whitespace() => ' ',
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_and_forms_of_a_character_do_not_matter() {
        for (text, word) in [("BLACK", "black"), ("Ｂ＋Ｒ", "b+r"), ("黒勝", "黑胜"), ("黑胜", "黑胜"), ("—", "-")]
        {
            assert!(Scan::new(text).eat(word), "{text}");
        }
    }

    #[test]
    fn variants_are_sorted_and_map_to_common_forms() {
        assert!(VARIANTS.is_sorted_by_key(|&(variant, _)| variant));
        assert!(VARIANTS.iter().all(|&(_, common)| fold(common) == common));
    }

    #[test]
    fn an_alphabetic_word_is_eaten_only_whole() {
        assert!(!Scan::new("Bob").eat("b"));
        assert!(Scan::new("B+").eat("b"));
        assert!(Scan::new("B胜").eat("b"));
        assert!(Scan::new("3pts").digits().is_some());
    }

    #[test]
    fn the_longest_word_is_eaten() {
        let table = [("no", 1), ("no result", 2), ("north", 3)];
        let mut scan = Scan::new("No result yet");
        assert_eq!(scan.eat_any(&table), Some(2));
        assert_eq!(scan.rest(), " yet");
    }

    #[test]
    fn a_remark_is_stripped_of_parentheses_and_separators() {
        for (rest, expected) in [
            ("  (triple ko)", "triple ko"),
            ("; see (a) and (b)", "see (a) and (b)"),
            (".", ""),
            ("?", "?"),
            ("（未完）", "未完"),
        ] {
            assert_eq!(remark(rest), expected);
        }
    }
}
