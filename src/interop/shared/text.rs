//! Splits text files into words and numbers with their locations, and converts names to UTF-8, single lines or unique
//! names.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

use fast_float2::FastFloat;

use crate::interop::detect::without_byte_order_mark;
use crate::{Error, Loss, Result, Span};

/// An iterator over the words in a range of text. Words are separated by spaces, tabs, line ends, and backslashes
/// that continue a line.
#[derive(Debug, Clone)]
pub(in crate::interop) struct Words<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    /// The offset of the last returned word.
    start: usize,
    /// Whether a `#` directly after a number begins a comment, as in OBJ and MTL.
    has_comments: bool,
}

impl<'a> Words<'a> {
    /// Creates an iterator over the range `part` of `text`. Line numbers in errors refer to the entire text.
    pub fn new(text: &'a [u8], part: Range<usize>) -> Words<'a> {
        let end = part.end.min(text.len());
        Words {
            text,
            at: part.start.min(end),
            end,
            start: part.start.min(end),
            has_comments: false,
        }
    }

    /// Returns the byte range of the last returned word.
    pub fn range(&self) -> Range<usize> {
        self.start..self.at
    }

    /// Returns `true` if the range extends to the end of the text.
    pub fn ends_text(&self) -> bool {
        self.end == self.text.len()
    }

    /// Returns the number of bytes after the last returned word, without surrounding blanks.
    pub fn remaining(&self) -> usize {
        self.text[self.at..self.end].trim_ascii().len()
    }

    /// Returns the location of the last returned word, with its line and column.
    pub fn span(&self) -> Span {
        locate(self.text, self.range())
    }

    #[inline]
    pub fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = &self.text[self.at..self.end];
            let blanks = rest.iter().position(|byte| !is_blank(*byte))?;
            let rest = &rest[blanks..];
            let length = rest
                .iter()
                .position(|byte| is_blank(*byte))
                .unwrap_or(rest.len());
            let word = &rest[..length];
            self.start = self.at + blanks;
            self.at = self.start + length;
            match word.strip_suffix(b"\\").filter(|_| self.ends_line()) {
                Some(b"") => {}
                Some(before) => return Some(before),
                None => return Some(word),
            }
        }
    }

    /// Returns `true` if a line break follows the last returned word, perhaps after blanks.
    fn ends_line(&self) -> bool {
        let mut rest = self.text[self.at..].iter();
        rest.find(|byte| !matches!(byte, b' ' | b'\t'))
            .is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
    }

    /// Returns the next word up to a `#`, which begins a comment; `None` if there are no more words before it.
    #[inline]
    pub fn next_before_comment(&mut self) -> Option<&'a [u8]> {
        let word = self.next()?;
        match memchr::memchr(b'#', word) {
            None => Some(word),
            Some(length) => {
                self.skip_comment(length);
                Some(&word[..length]).filter(|word| !word.is_empty())
            }
        }
    }

    /// Ends the last returned word after `length` bytes, and skips the rest of the text, a comment.
    fn skip_comment(&mut self, length: usize) {
        self.at = self.start + length;
        self.end = self.at;
    }

    /// Returns `true` if the next word is a number.
    pub fn is_at_number(&self) -> bool {
        self.clone()
            .next()
            .is_some_and(|word| parse_number::<f32>(word).is_some())
    }

    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at..self.end]
    }

    /// Returns the rest of the line without surrounding blanks, for names that may contain blanks.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..self.end];
        let line = &rest[..memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len())];
        self.start = self.at;
        self.at += line.len();
        line.trim_ascii()
    }

    /// Returns the name that follows: the rest of the line without surrounding blanks and comment. The parts of a
    /// continued name are joined by blanks.
    pub fn name(&mut self) -> Cow<'a, [u8]> {
        self.name_before(|_| false)
    }

    /// Returns the name that follows, like [`name`](Words::name), up to the first word for which `is_end` returns `true`.
    /// The first word is always part of the name.
    ///
    /// A comment starts with a `#` between blanks: names like `Material #25`, as 3ds Max numbers materials, contain none.
    pub fn name_before(&mut self, is_end: impl Fn(&[u8]) -> bool) -> Cow<'a, [u8]> {
        let (mut start, mut end) = (None, self.at);
        let mut words = self.clone();
        while let Some(word) = words.next() {
            if is_comment_mark(word) || (start.is_some() && is_end(word)) {
                break;
            }
            start = start.or(Some(words.start));
            end = words.at;
        }
        (self.start, self.at) = (start.unwrap_or(end), end);
        let name = &self.text[self.range()];
        if memchr::memchr2(b'\r', b'\n', name).is_none() {
            return Cow::Borrowed(name);
        }
        let parts = name
            .split(|byte| matches!(byte, b'\r' | b'\n'))
            .map(|part| {
                let part = part.trim_ascii();
                part.strip_suffix(b"\\").unwrap_or(part).trim_ascii_end()
            });
        Cow::Owned(
            parts
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(&b' '),
        )
    }

    /// Returns the text in double quotes that follows; `None` if no word starts with a quote, or none ends with the
    /// closing one.
    pub fn quoted_name(&mut self) -> Option<&'a [u8]> {
        let mut words = self.clone();
        let opening = words.next().filter(|word| word.starts_with(b"\""))?;
        let start = words.start + 1;
        let is_closed = |word: &[u8], length: usize| word.len() >= length && word.ends_with(b"\"");
        if !is_closed(opening, 2) {
            while !is_closed(words.next()?, 1) {}
        }
        (self.start, self.at) = (words.start, words.at);
        Some(&self.text[start..words.at - 1])
    }

    /// Reads a number. `what` describes the number in errors.
    #[inline]
    pub fn read_f32(&mut self, what: &str) -> Result<f32> {
        self.read_number(what)
    }

    #[inline]
    fn read_number<T: FastFloat>(&mut self, what: &str) -> Result<T> {
        match self.read_simple_number() {
            Some(number) => Ok(number),
            None => self
                .read_optional_number()?
                .ok_or_else(|| self.missing_error(what)),
        }
    }

    /// Reads `N` numbers in 64 bits. Rounding them to 32 bits yields the floats nearest to the decimals in the text.
    #[inline]
    pub fn read_f64s<const N: usize>(&mut self, what: &str) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.read_number(what)?;
            if is_halfway(*number) {
                *number = self.break_tie(*number);
            }
        }
        Ok(numbers)
    }

    /// Adjusts `wide`, a number halfway between two 32-bit floats, to round to the float nearest to the last returned
    /// word.
    #[cold]
    fn break_tie(&self, wide: f64) -> f64 {
        let nearest: f32 = fast_float2::parse(&self.text[self.range()]).unwrap_or(wide as f32);
        match f64::from(nearest).total_cmp(&wide) {
            _ if nearest == wide as f32 => wide,
            Ordering::Less => wide.next_down(),
            _ => wide.next_up(),
        }
    }

    #[inline]
    pub fn read_f32s<const N: usize>(&mut self, what: &str) -> Result<[f32; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.read_f32(what)?;
        }
        Ok(numbers)
    }

    /// Reads a number; `None` if there are no more words, or a comment follows.
    #[inline]
    pub fn read_optional_f32(&mut self) -> Result<Option<f32>> {
        match self.read_simple_number() {
            Some(number) => Ok(Some(number)),
            None => self.read_optional_number(),
        }
    }

    /// Fast path: reads a number without first searching for the end of the word. `None` unless the text up to the next
    /// blank is a number.
    #[inline]
    fn read_simple_number<T: FastFloat>(&mut self) -> Option<T> {
        let rest = &self.text[self.at..self.end];
        let blanks = rest.iter().position(|byte| !is_blank(*byte))?;
        let (number, length) = fast_float2::parse_partial(&rest[blanks..]).ok()?;
        let end = blanks + length;
        if !rest.get(end).is_none_or(|byte| is_blank(*byte)) {
            return None;
        }
        (self.start, self.at) = (self.at + blanks, self.at + end);
        Some(number)
    }

    /// Reads the next word as a number; `None` if there are no more words, or a comment follows.
    fn read_optional_number<T: FastFloat>(&mut self) -> Result<Option<T>> {
        let Some(word) = self.next().filter(|word| !word.starts_with(b"#")) else {
            return Ok(None);
        };
        if let Some(number) = parse_number(word) {
            return Ok(Some(number));
        }
        if self.has_comments
            && let Some(length) = memchr::memchr(b'#', word)
            // Microsoft's library prints `1.#INF`.
            && word[..length].last().is_some_and(u8::is_ascii_digit)
            && let Some(number) = parse_number(&word[..length])
        {
            self.skip_comment(length);
            return Ok(Some(number));
        }
        Err(self.reject(format!("expected a number, found {}", quote(word))))
    }

    /// Returns an error about the missing value `what`, located after the last returned word.
    pub fn missing_error(&self, what: &str) -> Error {
        reject(self.text, self.at..self.at, format!("{what} is missing"))
    }

    /// Returns an error located at the last returned word.
    pub fn reject(&self, message: impl ToString) -> Error {
        reject(self.text, self.range(), message)
    }
}

/// Parses a number in any spelling.
fn parse_number<T: FastFloat>(word: &[u8]) -> Option<T> {
    fast_float2::parse(word)
        .or_else(|_| fast_float2::parse(to_plain_spelling(word)))
        .ok()
}

/// Returns the spelling `nan`, `inf` or `-inf` of a number that a C library printed otherwise; an empty string if `word`
/// is no such number.
///
/// Microsoft's library prints `nan(ind)` and `nan(snan)`, or up to 2013 `1.#IND`, `1.#QNAN`, `1.#SNAN` and `1.#INF`,
/// padded with zeros and an exponent to the requested precision. Other libraries print the payload, as in `nan(0x1)`.
fn to_plain_spelling(word: &[u8]) -> &'static str {
    let (is_negative, magnitude) = match word {
        [b'-', magnitude @ ..] => (true, magnitude),
        [b'+', magnitude @ ..] => (false, magnitude),
        magnitude => (false, magnitude),
    };
    let magnitude = magnitude.to_ascii_lowercase();
    let has_payload = magnitude.strip_prefix(b"nan(").is_some_and(|payload| {
        let name = payload.strip_suffix(b")").unwrap_or(b" ");
        name.iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    });
    if has_payload {
        return "nan";
    }
    let Some(digits) = magnitude.strip_prefix(b"1.") else {
        return "";
    };
    let exponent = digits
        .iter()
        .position(|byte| *byte == b'e')
        .unwrap_or(digits.len());
    let (digits, exponent) = digits.split_at(exponent);
    if !exponent
        .iter()
        .all(|byte| matches!(byte, b'e' | b'+' | b'-' | b'0'..=b'9'))
    {
        return "";
    }
    let end = digits
        .iter()
        .rposition(|byte| *byte != b'0')
        .map_or(0, |last| last + 1);
    match &digits[..end] {
        b"#inf" if is_negative => "-inf",
        b"#inf" => "inf",
        // With fewer than five decimals, the library rounds up the last letter that remains.
        b"#ind" | b"#qnan" | b"#snan" | b"#qnb" | b"#snb" | b"#qo" | b"#so" | b"#io" | b"#r"
        | b"#t" | b"#j" | b"$" => "nan",
        _ => "",
    }
}

/// Returns `true` if a number may be halfway between two 32-bit floats. Its lowest set bit is then the first bit beyond
/// 32-bit precision, or it is subnormal in 32 bits.
#[inline]
fn is_halfway(wide: f64) -> bool {
    const LOST: u64 = (1 << 29) - 1;
    wide.to_bits() & LOST == 1 << 28 || (wide != 0.0 && wide.abs() < f32::MIN_POSITIVE.into())
}

/// Returns `true` for the word that begins a comment after a name.
fn is_comment_mark(word: &[u8]) -> bool {
    word.iter().all(|byte| *byte == b'#')
}

/// Returns the lines of `text`, without a byte order mark. Lines end in LF, CR LF or CR. A backslash at the end
/// continues a line.
pub(in crate::interop) fn lines(text: &[u8]) -> impl Iterator<Item = Words<'_>> {
    lines_in(text, first_line_offset(text)..text.len())
}

/// Returns the offset of the first line, after any byte order mark.
pub(in crate::interop) fn first_line_offset(text: &[u8]) -> usize {
    text.len() - without_byte_order_mark(text).len()
}

/// Returns the lines in the range `part` of `text`.
pub(in crate::interop) fn lines_in(
    text: &[u8],
    part: Range<usize>,
) -> impl Iterator<Item = Words<'_>> {
    let mut start = part.start;
    std::iter::from_fn(move || {
        let line = start..line_end(text, start, part.end);
        start = line.end;
        (!line.is_empty()).then(|| Words {
            has_comments: true,
            ..Words::new(text, line)
        })
    })
}

/// Returns the offset after the line that begins at `start`, or `end` if the line extends to `end`.
#[inline]
fn line_end(text: &[u8], start: usize, end: usize) -> usize {
    let mut at = start;
    let mut is_text = None;
    while let Some(length) = memchr::memchr2(b'\r', b'\n', &text[at..end]) {
        let next = after_line_break(text, at + length, end);
        if !text[at..next].trim_ascii_end().ends_with(b"\\")
            || !is_continued(text, at..next, &mut is_text)
        {
            return next;
        }
        // Blank lines do not end a continued line.
        at = next
            + text[next..end]
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
    }
    end
}

/// Returns the end of the first line that ends after the offset `from`, or `end`. `start` is the start of a line, at or
/// before `from`.
pub(in crate::interop) fn line_end_after(
    text: &[u8],
    start: usize,
    from: usize,
    end: usize,
) -> usize {
    let Some(length) = memchr::memchr2(b'\r', b'\n', &text[from..end]) else {
        return end;
    };
    let next = after_line_break(text, from + length, end);
    if !text[start..next].trim_ascii_end().ends_with(b"\\") {
        return next;
    }
    // Only the first word of the line decides whether a backslash continues it.
    let mut at = start;
    while at < next {
        at = line_end(text, at, end);
    }
    at
}

/// The statements of OBJ and MTL that end in a name, a path or a comment. Paths of folders end in backslashes, which
/// are not continuations.
const TEXT_STATEMENTS: [&[u8]; 15] = [
    b"o",
    b"g",
    b"usemtl",
    b"mtllib",
    b"usemap",
    b"maplib",
    b"newmtl",
    b"bump",
    b"disp",
    b"decal",
    b"refl",
    b"norm",
    b"shadow_obj",
    b"trace_obj",
    b"call",
];

/// Returns `true` if the backslash at the end of `part`, the range after the last continuation, continues the line.
/// Comments are never continued, and names only by a backslash after a blank. In a name, only a `#` between blanks begins
/// a comment. `is_text` states whether the line ends in a name; `None` up to the keyword.
#[cold]
fn is_continued(text: &[u8], part: Range<usize>, is_text: &mut Option<bool>) -> bool {
    if is_text.is_none() {
        *is_text = Words::new(text, part.clone()).next().map(|keyword| {
            let keyword = keyword.to_ascii_lowercase();
            keyword.starts_with(b"map_") || TEXT_STATEMENTS.contains(&&*keyword)
        });
    }
    let part = text[part].trim_ascii_end();
    if *is_text == Some(true) {
        let is_separate = part.len() < 2 || is_blank(part[part.len() - 2]);
        let mut words = part
            .split(|byte| is_blank(*byte))
            .filter(|word| !word.is_empty());
        return is_separate && !words.any(is_comment_mark);
    }
    let begins_comment =
        |pair: &[u8]| pair[1] == b'#' && (is_blank(pair[0]) || pair[0].is_ascii_digit());
    !part.starts_with(b"#") && !part.windows(2).any(begins_comment)
}

/// Returns the offset after the line break LF, CR LF or CR at the offset `at`, which is at most `end`.
#[inline]
pub(in crate::interop) fn after_line_break(text: &[u8], at: usize, end: usize) -> usize {
    match text.get(at..end) {
        Some([b'\r', b'\n', ..]) => at + 2,
        _ => at + 1,
    }
}

/// Returns the number of line breaks: LF, CR LF or CR.
pub(in crate::interop) fn count_line_breaks(text: &[u8]) -> usize {
    let is_lone = |at: &usize| text.get(at + 1) != Some(&b'\n');
    memchr::memchr_iter(b'\n', text).count()
        + memchr::memchr_iter(b'\r', text).filter(is_lone).count()
}

#[inline]
pub(in crate::interop) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c')
}

/// Returns an error located at `range` in `text`.
pub(in crate::interop) fn reject(
    text: &[u8],
    range: Range<usize>,
    message: impl ToString,
) -> Error {
    Error::malformed(message).with_span(Some(locate(text, range)))
}

/// Returns the location of a range, with its line and column. Scans all text before the range, so this is suitable
/// only for errors.
pub(in crate::interop) fn locate(text: &[u8], range: Range<usize>) -> Span {
    let before = &text[..range.start.min(text.len())];
    let line = 1 + count_line_breaks(before) as u64;
    let own = memchr::memrchr2(b'\r', b'\n', before).map_or(before, |end| &before[end + 1..]);
    // Skips UTF-8 continuation bytes.
    let column = 1 + without_byte_order_mark(own)
        .iter()
        .filter(|byte| **byte & 0xc0 != 0x80)
        .count() as u64;
    Span::Text {
        range: range.start as u64..range.end as u64,
        line,
        column,
    }
}

/// Converts a location in a window to a location in the entire text. `bytes` and `lines` are the numbers of bytes
/// and lines before the window.
pub(in crate::interop) fn shift_span(span: Span, bytes: u64, lines: u64) -> Span {
    match span {
        Span::Text {
            range,
            line,
            column,
        } => Span::Text {
            range: range.start + bytes..range.end + bytes,
            line: line + lines,
            column,
        },
        other => other,
    }
}

/// Quotes bytes of a file for a message: truncates them to 40 bytes, and escapes them.
pub(in crate::interop) fn quote(bytes: &[u8]) -> String {
    const MAX_BYTES: usize = 40;
    match bytes.get(..MAX_BYTES) {
        Some(start) if bytes.len() > MAX_BYTES => format!("`{}…`", start.escape_ascii()),
        _ => format!("`{}`", bytes.escape_ascii()),
    }
}

/// Converts a name to a single line: replaces control characters, and removes surrounding blanks.
pub(in crate::interop) fn to_single_line(name: &str) -> String {
    let line: String = name
        .chars()
        .map(|c| if c.is_control() { '_' } else { c })
        .collect();
    line.trim_matches(|c: char| c.is_ascii_whitespace())
        .to_owned()
}

/// Converts a name to a single line of OBJ or MTL. Also replaces a trailing backslash, which would continue the line, and
/// words like `#`, which would begin a comment.
pub(in crate::interop) fn to_obj_line(name: &str) -> String {
    let line = without_continuation(to_single_line(name));
    if !has_comment_mark(&line) {
        return line;
    }
    line.split(' ')
        .map(|word| {
            if !word.is_empty() && is_comment_mark(word.as_bytes()) {
                "_"
            } else {
                word
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Replaces a backslash at the end, which would continue the line.
pub(in crate::interop) fn without_continuation(line: String) -> String {
    match line.strip_suffix('\\') {
        Some(before) => format!("{before}_"),
        None => line,
    }
}

/// Returns `true` if a word of the name would begin a comment in OBJ or MTL.
pub(in crate::interop) fn has_comment_mark(name: &str) -> bool {
    name.split_ascii_whitespace()
        .any(|word| is_comment_mark(word.as_bytes()))
}

/// Replaces a name by `line`, its conversion to a single line. If the name changes, adds a loss whose message names
/// `format`.
pub(in crate::interop) fn restrict_to_line(
    name: &mut String,
    line: String,
    format: &str,
    path: &str,
    losses: &mut Vec<Loss>,
) {
    if line != *name {
        let message = format!("{format} names are single lines without control characters");
        losses.push(Loss::renamed(path, message).with_change(name.escape_debug(), &line));
        *name = line;
    }
}

/// Returns `name`, with a number appended if it is in `taken`. Adds the result to `taken`.
pub(in crate::interop) fn unique_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (1_u32..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

/// Converts a name in a file to UTF-8. Replaces invalid bytes, and records the change at `path`.
pub(in crate::interop) fn to_utf8(bytes: &[u8], path: &str, losses: &mut Vec<Loss>) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.as_bytes() != bytes {
        let loss = Loss::renamed(path, "invalid UTF-8 was replaced");
        losses.push(loss.with_change(bytes.escape_ascii(), &text));
    }
    text.into_owned()
}
