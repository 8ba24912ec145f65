//! A moment as senders write it: RFC 3339 with any offset, or seconds or milliseconds since 1970.

use sluice::core::record::LedgerTime;
use std::time::{Duration, UNIX_EPOCH};

/// Reads a moment.
pub fn moment(text: &str) -> Result<LedgerTime, String> {
    let wrong =
        || format!("{text:?} is no time: write 2026-11-30T09:00:00Z, or seconds or milliseconds since 1970");
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match (text.len(), text.parse::<i64>()) {
            (10, Ok(seconds)) => Ok(LedgerTime(seconds * 1000)),
            (13, Ok(milliseconds)) => Ok(LedgerTime(milliseconds)),
            _ => Err(wrong()),
        };
    }
    let (local, offset) = split_offset(text).ok_or_else(wrong)?;
    let time = humantime::parse_rfc3339(&format!("{local}Z")).map_err(|_| wrong())?;
    let since = time.duration_since(UNIX_EPOCH).map_err(|_| wrong())?;
    let milliseconds = i64::try_from(since.as_millis()).map_err(|_| wrong())?;
    let offset = i64::try_from(offset.1.as_millis()).map_err(|_| wrong())? * if offset.0 { 1 } else { -1 };
    Ok(LedgerTime(milliseconds - offset))
}

/// Takes `Z` or `+hh:mm` off the end; whether it lies ahead of UTC, and by how much.
fn split_offset(text: &str) -> Option<(&str, (bool, Duration))> {
    if let Some(local) = text.strip_suffix(['Z', 'z']) {
        return Some((local, (true, Duration::ZERO)));
    }
    let (local, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let ahead = match offset.as_bytes()[0] {
        b'+' => true,
        b'-' => false,
        _ => return None,
    };
    let (hours, minutes) = offset[1..].split_once(':')?;
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then(|| (local, (ahead, Duration::from_mins(hours * 60 + minutes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_senders_write_it() {
        for (text, milliseconds) in [
            ("2026-11-30T00:53:20Z", 1_796_000_000_000),
            ("2026-11-30T00:53:20.123Z", 1_796_000_000_123),
            ("2026-11-30T01:53:20+01:00", 1_796_000_000_000),
            ("2026-11-29T19:23:20-05:30", 1_796_000_000_000),
            ("1796000000", 1_796_000_000_000),
            ("1796000000123", 1_796_000_000_123),
        ] {
            assert_eq!(moment(text), Ok(LedgerTime(milliseconds)), "{text}");
        }
        for text in [
            "",
            "now",
            "17960000001",
            "2026-11-30",
            "2026-11-30T00:53:20",
            "2026-11-30T00:53:20+1",
            "é+01:00",
            "2026-11-30T00:53:20+aa:00",
        ] {
            assert!(moment(text).is_err(), "{text}");
        }
    }
}
