//! Date and time as ISO 8601 and RFC 3339 write them.

/// Whether the text is a date with a time of day: `2026-11-30T10:00:00Z`, `2026-11-30 10:00:00 +01:00`.
pub(super) fn is_all_of(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(end) = date_at(bytes, 0) else { return false };
    let is_joined = bytes.get(end).is_some_and(|b| matches!(b, b'T' | b't' | b' '));
    is_joined
        && is_clock(bytes, end + 1)
        && text.get(end + 1..).is_some_and(|rest| rest.split(' ').all(is_time_or_zone))
}

/// Whether a text without white space holds one anywhere: alone, in a hand-made key, in a signed address.
pub(in crate::key::suspect) fn is_inside(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize| at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    let digits = bytes.iter().enumerate().filter(|(_, b)| b.is_ascii_digit());
    digits.map(|(at, _)| at).any(|at| begins(at) && is_at(bytes, at))
}

fn is_at(bytes: &[u8], at: usize) -> bool {
    let Some(end) = date_at(bytes, at) else { return false };
    match bytes.get(end) {
        Some(b'T' | b't') => is_hour(bytes, end + 1),
        Some(b'_') => is_clock(bytes, end + 1),
        _ => false,
    }
}

/// Whether the text is a date and nothing else.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && date_at(text.as_bytes(), 0) == Some(10)
}

/// Whether the text is `20261130100000`, with up to three digits of a second behind it.
pub(super) fn is_run_of_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes.len(), 14 | 17)
        && bytes.iter().all(u8::is_ascii_digit)
        && number(bytes, 0, 4).is_some_and(|year| (2000..2100).contains(&year))
        && date_at(bytes, 0) == Some(8)
        && [(8, 24), (10, 60), (12, 61)]
            .iter()
            .all(|(at, limit)| number(bytes, *at, 2).is_some_and(|n| n < *limit))
}

/// Where a date that begins here ends.
fn date_at(bytes: &[u8], at: usize) -> Option<usize> {
    let year = number(bytes, at, 4)?;
    let sign = usize::from(bytes.get(at + 4) == Some(&b'-'));
    let month = number(bytes, at + 4 + sign, 2)?;
    let is_even = sign == 0 || bytes.get(at + 7) == Some(&b'-');
    let day = number(bytes, at + 6 + 2 * sign, 2)?;
    let is_date = (1970..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    (is_date && is_even).then_some(at + 8 + 2 * sign)
}

/// An hour that ends there, or goes on with minutes or a sign; `%3A` stands for a colon in addresses.
fn is_hour(bytes: &[u8], at: usize) -> bool {
    let goes_on = |byte: u8| byte.is_ascii_digit() || !byte.is_ascii_alphanumeric() || byte == b'Z';
    number(bytes, at, 2).is_some_and(|hour| hour <= 24) && bytes.get(at + 2).is_none_or(|b| goes_on(*b))
}

/// Hours, a sign, minutes.
fn is_clock(bytes: &[u8], at: usize) -> bool {
    number(bytes, at, 2).is_some_and(|hour| hour <= 24)
        && bytes.get(at + 2).is_some_and(|b| matches!(b, b':' | b'-' | b'.'))
        && number(bytes, at + 3, 2).is_some_and(|minute| minute < 60)
}

fn is_time_or_zone(word: &str) -> bool {
    let is_number =
        word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b',' | b'+' | b'-' | b'Z'));
    is_number || (1..=5).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_uppercase())
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at + length)?;
    digits.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + u32::from(b - b'0')))
}
