//! Is it the number of a payment card?

use super::words::Words;

const NAMES: [&str; 9] =
    ["card", "card number", "card no", "card num", "pan", "cc", "cc number", "credit card", "debit card"];

/// A longer text is no key and no field of a form.
const LONGEST: usize = 200;

pub(super) fn is_in(words: &Words, text: &str) -> bool {
    if !(13..=LONGEST).contains(&text.len()) || text.contains("://") {
        return false;
    }
    if words.end_with_any(&NAMES) {
        return written(text.trim()).is_some_and(|number| is_card(&number.digits));
    }
    // Ids in a database are long numbers too, and one in ten has the check digit of a card by chance.
    let is_id = matches!(words.last(), "id" | "ids");
    let stands =
        |piece: &str| written(piece).is_some_and(|number| number.is_likely(is_id) && is_card(&number.digits));
    stands(text.trim()) || pieces(text).any(stands)
}

/// The parts of a text such as `charge:4111-1111-1111-1111`, and what stands between their hyphens.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split([':', '/', '|', ',', ';', '=', '&', '#', '_', '.', '@', '<', '>']);
    parts.flat_map(|part| std::iter::once(part).chain(part.split('-')))
}

struct Written {
    digits: Vec<u8>,
    grouped: bool,
}

impl Written {
    /// Thirteen digits, and more than sixteen, are lengths that hardly any card has and many ids have.
    fn is_likely(&self, is_id: bool) -> bool {
        self.grouped || !is_id && (14..=16).contains(&self.digits.len())
    }
}

/// Digits alone, or in groups as they are embossed: 4-4-4-4, 4-6-5, 4-6-4, with one sign between.
fn written(text: &str) -> Option<Written> {
    let sign = if text.contains(' ') { ' ' } else { '-' };
    let lengths: Vec<usize> = text.split(sign).map(str::len).take(7).collect();
    let grouped = lengths.len() > 1;
    let embossed = matches!(lengths[..], [4, 4, 4, 4] | [4, 6, 4 | 5] | [4, 4, 4, 4, 1..=3]);
    let digits: Vec<u8> = text.bytes().filter(|b| *b != sign as u8).collect();
    let is_number = (13..=19).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    (is_number && (!grouped || embossed)).then_some(Written { digits, grouped })
}

fn is_card(digits: &[u8]) -> bool {
    is_issued(digits) && luhn(digits)
}

/// The beginnings that issuers have, with the lengths of their numbers.
fn is_issued(digits: &[u8]) -> bool {
    let first = |count: usize| digits[..count].iter().fold(0_u32, |sum, b| sum * 10 + u32::from(b - b'0'));
    match digits.len() {
        13 => first(1) == 4,
        14 => matches!(first(2), 36 | 38 | 39) || matches!(first(3), 300..=305),
        15 => matches!(first(2), 34 | 37),
        16 => {
            matches!(first(2), 40..=49 | 51..=55 | 62 | 65)
                || matches!(first(3), 644..=649)
                || matches!(first(4), 2221..=2720 | 3528..=3589 | 6011)
                || is_maestro(first(4))
        }
        17..=19 => first(1) == 4 && digits.len() == 19 || first(2) == 62 || is_maestro(first(4)),
        _ => false,
    }
}

fn is_maestro(beginning: u32) -> bool {
    matches!(beginning, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763)
}

fn luhn(digits: &[u8]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let values = digits.iter().rev().map(|b| u32::from(b - b'0')).enumerate();
    let sum: u32 = values.map(|(at, digit)| if at % 2 == 1 { doubled(digit) } else { digit }).sum();
    sum.is_multiple_of(10)
}
