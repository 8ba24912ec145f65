//! In which order do the members of an object stand?
//!
//! RFC 8785 sorts names by UTF-16 code units, as ECMAScript does. UTF-8 bytes agree with that order except where
//! a character beyond the basic plane meets one from U+E000 to U+FFFF, so names are compared as bytes with that
//! one exception and never converted.

use std::cmp::Ordering;

use super::json::Json;

/// Compares two names by their UTF-16 code units.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let differing = a.bytes().zip(b.bytes()).find(|(x, y)| x != y);
    match differing {
        Some((x, y)) => rank(x).cmp(&rank(y)),
        None => a.len().cmp(&b.len()),
    }
}

/// Ranks the first byte in which two names differ.
///
/// 0xEE and 0xEF begin the characters U+E000 to U+FFFF; 0xF0 to 0xF4 begin those written as surrogates (U+D800
/// and up), which UTF-16 puts first. All of them are lead bytes: a differing continuation byte is never so high.
fn rank(byte: u8) -> u8 {
    match byte {
        0xee | 0xef => byte + 5,
        0xf0..=0xf4 => byte - 2,
        _ => byte,
    }
}

/// Puts members in order; the error is a name that stands there twice.
///
/// Sorting finds duplicates side by side, so 100,000 members cost n log n, and members that come in order cost
/// one comparison each.
pub(super) fn sort(members: &mut [(String, Json)]) -> Result<(), String> {
    if is_sorted(members) {
        return Ok(());
    }
    members.sort_by(|(a, _), (b, _)| compare(a, b));
    match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(pair[0].0.clone()),
        None => Ok(()),
    }
}

/// Says whether members stand in order, with no name twice.
pub(super) fn is_sorted(members: &[(String, Json)]) -> bool {
    members.windows(2).all(|pair| compare(&pair[0].0, &pair[1].0).is_lt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_compare_as_their_utf16_code_units_do(a in any::<String>(), b in any::<String>()) {
            prop_assert_eq!(compare(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }

        #[test]
        fn the_edges_of_the_planes_compare_right(
            a in "[ab\u{d7ff}\u{e000}\u{fb33}\u{ffff}\u{10000}\u{10ffff}]{0,4}",
            b in "[ab\u{d7ff}\u{e000}\u{fb33}\u{ffff}\u{10000}\u{10ffff}]{0,4}",
        ) {
            prop_assert_eq!(compare(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }
    }
}
