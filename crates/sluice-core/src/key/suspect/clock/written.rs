//! Date and time as HTTP, mail and people write them.

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const LONGEST: usize = 80;

/// Whether a text consists of the pieces of a date and a time of day, and of nothing else.
///
/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`,
/// `11/30/2026, 10:00:00 AM`, `30/Nov/2026:10:00:00 +0000`.
pub(super) fn is_date_and_time(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    // A browser puts the zone's name behind it, in brackets.
    let text = text.split('(').next().unwrap_or_default();
    let (mut has_date, mut has_time) = (false, false);
    for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        match piece(word) {
            Some(Piece::Date) => has_date = true,
            Some(Piece::Time) => has_time = true,
            Some(Piece::Both) => (has_date, has_time) = (true, true),
            Some(Piece::Other) => {}
            None => return false,
        }
    }
    has_date && has_time
}

enum Piece {
    Date,
    Time,
    Both,
    Other,
}

fn piece(word: &str) -> Option<Piece> {
    let lower = word.to_ascii_lowercase();
    if is_named(&lower, &MONTHS) || is_signed_date(&lower) {
        Some(Piece::Date)
    } else if is_time(word) {
        Some(Piece::Time)
    } else if lower.split_once(':').is_some_and(|(date, time)| is_signed_date(date) && is_time(time)) {
        Some(Piece::Both)
    } else if is_named(&lower, &DAYS) || is_number_or_zone(word) {
        Some(Piece::Other)
    } else {
        None
    }
}

fn is_named(word: &str, names: &[&str]) -> bool {
    word.bytes().all(|b| b.is_ascii_lowercase())
        && names.iter().any(|name| word.starts_with(name))
        && word.len() <= 9
}

/// `06-Nov-94`, `30/11/2026`, `30.11.2026`.
fn is_signed_date(word: &str) -> bool {
    let parts: Vec<&str> = word.splitn(4, ['-', '/', '.']).collect();
    let [first, second, third] = parts[..] else { return false };
    let is_number = |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number(first) && is_number(third) && (is_number(second) || MONTHS.contains(&second))
}

fn is_time(word: &str) -> bool {
    let is_part = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    let word = word.split_once('.').map_or(word, |(time, _)| time);
    (2..=3).contains(&word.split(':').count()) && word.split(':').all(is_part)
}

fn is_number_or_zone(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase()).trim_start_matches(['+', '-']);
    word.len() <= 8 && digits.bytes().all(|b| b.is_ascii_digit() || b == b':') || matches!(word, "am" | "pm")
}
