//! Is it a phone number?
//!
//! Digits alone are an id. A phone number has a plus sign, the writing of one, or a name that says so.

use super::words::Words;

const NAMES: [&str; 17] = [
    "phone",
    "telephone",
    "mobile",
    "tel",
    "msisdn",
    "fax",
    "cellphone",
    "whatsapp",
    "cell phone",
    "phone number",
    "phone no",
    "telephone number",
    "mobile number",
    "mobile no",
    "cell number",
    "fax number",
    "contact number",
];

pub(super) fn is_number(words: &Words, digits: &str) -> bool {
    (7..=15).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && words.end_with_any(&NAMES)
}

pub(super) fn is_in(words: &Words, text: &str) -> bool {
    if text.len() > 32 && !text.contains('+') || text.len() < 7 {
        return false;
    }
    let text = text.trim();
    is_written(text) || is_inside(text) || text.len() <= 32 && is_named(words, text)
}

fn is_named(words: &Words, text: &str) -> bool {
    digits_of(text).is_some_and(|digits| (7..=15).contains(&digits.len())) && words.end_with_any(&NAMES)
}

fn is_written(text: &str) -> bool {
    let text = text.strip_prefix("tel:").unwrap_or(text);
    if text.len() > 32 {
        return false;
    }
    match (text.strip_prefix('+'), text.strip_prefix("00")) {
        (Some(rest), _) => digits_of(rest).is_some_and(|digits| is_international(&digits)),
        (None, Some(rest)) if rest.contains(' ') => {
            digits_of(rest).is_some_and(|digits| is_international(&digits))
        }
        _ => is_north_american(text),
    }
}

/// Digits with the signs that people put between them.
fn digits_of(text: &str) -> Option<Vec<u8>> {
    let is_sign = |byte: u8| matches!(byte, b' ' | b'-' | b'.' | b'(' | b')' | b'/' | b'+');
    let all = text.bytes().all(|b| b.is_ascii_digit() || is_sign(b));
    let ends = text.bytes().next_back().is_some_and(|b| b.is_ascii_digit());
    (all && ends).then(|| text.bytes().filter(u8::is_ascii_digit).collect())
}

/// E.164: a country code that is in use and at most 15 digits; +1 is followed by ten, the first of which is 2 to 9, and
/// +7 by ten.
fn is_international(digits: &[u8]) -> bool {
    match digits {
        [b'1', rest @ ..] => rest.len() == 10 && rest[0] >= b'2',
        [b'7', rest @ ..] => rest.len() == 10,
        [b'0', ..] | [b'2', b'8', ..] | [b'8', b'3' | b'9', ..] => false,
        _ => (9..=15).contains(&digits.len()),
    }
}

/// `(415) 555-0100`, `415-555-0100` and `1-415-555-0100`; area and exchange never begin with 0 or 1.
fn is_north_american(text: &str) -> bool {
    let text = text.strip_prefix("1-").or_else(|| text.strip_prefix("1 ")).unwrap_or(text);
    let groups: Vec<&str> = match text.strip_prefix('(').and_then(|text| text.split_once(')')) {
        Some((area, rest)) => std::iter::once(area).chain(rest.trim_start().split('-')).collect(),
        None if text.contains('.') => text.split('.').collect(),
        None => text.split('-').collect(),
    };
    let lengths = groups.iter().map(|group| group.len()).eq([3, 3, 4]);
    let digits = groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_digit()));
    lengths && digits && groups[..2].iter().all(|group| group.as_bytes()[0] >= b'2')
}

/// A number with its plus sign between other things, as in `sms:+14155550100:welcome`.
fn is_inside(text: &str) -> bool {
    text.match_indices('+').any(|(at, _)| {
        let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + 1..]);
        let length = after.iter().take(16).take_while(|b| b.is_ascii_digit()).count();
        let apart =
            before.last().is_none_or(|b| is_apart(*b)) && after.get(length).is_none_or(|b| is_apart(*b));
        apart && (10..=15).contains(&length) && is_international(&after[..length])
    })
}

fn is_apart(byte: u8) -> bool {
    matches!(byte, b':' | b'/' | b'|' | b',' | b';' | b'=' | b'#' | b'_' | b'-' | b'&')
}
