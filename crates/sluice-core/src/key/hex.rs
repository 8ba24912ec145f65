//! How are digests written as text, and read back?

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes bytes as lower-case hex.
///
/// ```
/// assert_eq!(sluice_core::key::lower_hex(&[0, 0xab]), "00ab");
/// ```
pub fn lower(bytes: &[u8]) -> String {
    let mut text = vec![0; bytes.len() * 2];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 0x0f)];
    }
    // Digits are ASCII, so that there is always a text.
    String::from_utf8(text).unwrap_or_default()
}

/// Reads exactly 64 lower-case hex digits; upper case is refused, so that one digest has one text.
pub(super) fn digest(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_survives_its_text_and_has_no_second_one() {
        let bytes: [u8; 32] = std::array::from_fn(|i| u8::try_from(i * 8).unwrap_or(0));
        assert_eq!(digest(&lower(&bytes)), Some(bytes));
        assert_eq!(digest(&lower(&bytes).to_uppercase()), None);
        assert_eq!(digest("00"), None);
        assert_eq!(digest(&"é".repeat(32)), None);
    }
}
