//! Which day, or other period, is a scheduled time in?

use super::error::ContractError;
use super::path::MemberPath;
use crate::key::Json;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// One action for each period of a scheduled time, on the clock of a place.
///
/// The time is that of the schedule, never that of the run: a job that is late, or is run again the next morning, belongs to
/// the period that it was scheduled for.
///
/// ```
/// use sluice_core::contract::Period;
/// use sluice_core::key::Json;
///
/// let period = Period::new("day", "scheduled_for", Some("Europe/Berlin"))?;
/// assert_eq!(period.of_time(&Json::from("2026-11-30T23:30:00Z")).as_deref(), Some("day:2026-12-01"));
/// assert_eq!(period.of_time(&Json::from("tomorrow")), None);
/// # Ok::<(), sluice_core::contract::ContractError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// How long it is.
    pub every: Every,
    /// The member that holds the scheduled time: RFC 3339 with an offset, or milliseconds since 1970.
    pub of: MemberPath,
    /// The time zone whose calendar counts, by its IANA name.
    pub tz: String,
    zone: TimeZone,
}

/// How long a period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Every {
    /// From minute to minute.
    Minute,
    /// From hour to hour.
    Hour,
    /// From midnight to midnight.
    Day,
    /// From Monday to Sunday (ISO 8601).
    Week,
    /// A calendar month.
    Month,
    /// Three calendar months, from January.
    Quarter,
    /// A calendar year.
    Year,
}

impl Every {
    /// Every length.
    pub const ALL: [Self; 7] =
        [Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Quarter, Self::Year];

    /// Returns its name in a contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

impl Period {
    /// Makes a period; without a time zone the calendar is that of UTC.
    ///
    /// # Errors
    /// [`ContractError`] for an unknown length or time zone, or a text that is no path.
    pub fn new(every: &str, of: &str, tz: Option<&str>) -> Result<Self, ContractError> {
        let names = || Every::ALL.map(Every::as_str).join(", ");
        let known = Every::ALL.into_iter().find(|known| known.as_str() == every);
        let every = known.ok_or_else(|| ContractError::new(format!("a period is one of {}", names())))?;
        let tz = tz.unwrap_or("UTC");
        let unknown = |_| ContractError::new("tz is no time zone's name, as in Europe/Berlin");
        let zone = if tz == "UTC" { TimeZone::UTC } else { TimeZone::get(tz).map_err(unknown)? };
        Ok(Self { every, of: MemberPath::parse(of)?, tz: tz.to_owned(), zone })
    }

    /// Returns the text that enters the key, such as `day:2026-11-30`; nothing where the value is no point in time.
    ///
    /// Minutes and hours carry the offset, since one hour of a year comes twice.
    pub fn of_time(&self, value: &Json) -> Option<String> {
        let local = moment(value)?.to_zoned_datetime(self.zone.clone());
        let written = |format: &str| local.strftime(format).to_string();
        let date = local.date();
        let text = match self.every {
            Every::Minute => written("%Y-%m-%dT%H:%M%:z"),
            Every::Hour => written("%Y-%m-%dT%H%:z"),
            Every::Day => written("%Y-%m-%d"),
            Every::Week => written("%G-W%V"),
            Every::Month => written("%Y-%m"),
            Every::Quarter => format!("{}-Q{}", written("%Y"), (date.month() + 2) / 3),
            Every::Year => written("%Y"),
        };
        Some(format!("{}:{text}", self.every.as_str()))
    }
}

/// A point in time: RFC 3339 with an offset, or milliseconds since 1970. What has no offset is no point in time.
pub(super) fn moment(value: &Json) -> Option<Timestamp> {
    match value {
        Json::String(text) => text.trim().parse().ok(),
        Json::Number(number) => Timestamp::from_millisecond(number.as_i64()?).ok(),
        _ => None,
    }
}

/// Returns a point in time as milliseconds since 1970: RFC 3339 with an offset, or such a number already.
///
/// ```
/// use sluice_core::contract::moment_ms;
/// use sluice_core::key::Json;
/// assert_eq!(moment_ms(&Json::from("1970-01-01T00:00:01.5Z")), Some(1500));
/// assert_eq!(moment_ms(&Json::from("1970-01-01")), None);
/// ```
pub fn moment_ms(value: &Json) -> Option<i64> {
    moment(value).map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(every: &str, tz: &str, time: &str) -> String {
        Period::new(every, "at", Some(tz)).unwrap().of_time(&Json::from(time)).unwrap()
    }

    #[test]
    fn a_period_is_that_of_the_calendar_of_the_place() {
        let cases = [
            ("minute", "UTC", "2026-11-30T02:59:59Z", "minute:2026-11-30T02:59+00:00"),
            ("hour", "Europe/Berlin", "2026-10-25T00:30:00Z", "hour:2026-10-25T02+02:00"),
            ("hour", "Europe/Berlin", "2026-10-25T01:30:00Z", "hour:2026-10-25T02+01:00"),
            ("day", "UTC", "2026-11-30T23:59:59.999Z", "day:2026-11-30"),
            ("day", "Pacific/Kiritimati", "2026-11-30T10:00:00Z", "day:2026-12-01"),
            ("day", "UTC", "2026-11-30T00:30:00+01:00", "day:2026-11-29"),
            ("week", "UTC", "2027-01-01T12:00:00Z", "week:2026-W53"),
            ("month", "UTC", "2026-02-28T23:00:00Z", "month:2026-02"),
            ("quarter", "UTC", "2026-12-31T00:00:00Z", "quarter:2026-Q4"),
            ("quarter", "UTC", "2026-03-31T00:00:00Z", "quarter:2026-Q1"),
            ("year", "America/New_York", "2027-01-01T03:00:00Z", "year:2026"),
        ];
        for (every, tz, time, expected) in cases {
            assert_eq!(of(every, tz, time), expected, "{every} {tz} {time}");
        }
    }

    #[test]
    fn milliseconds_and_text_are_the_same_time_and_anything_else_is_none() {
        let period = Period::new("day", "at", None).unwrap();
        let at = |text: &[u8]| period.of_time(&Json::parse(text).unwrap());
        assert_eq!(at(b"1764460800000"), at(br#""2025-11-30T00:00:00Z""#));
        for text in [
            &br#""2026-11-30""#[..],
            br#""2026-11-30T02:00:00""#,
            b"null",
            b"1.5",
            b"9007199254740991",
            b"{}",
        ] {
            assert_eq!(at(text), None, "{}", String::from_utf8_lossy(text));
        }
        for tz in ["Mars/Olympus", "", "../etc/passwd"] {
            assert!(Period::new("day", "at", Some(tz)).is_err(), "{tz}");
        }
        assert!(Period::new("fortnight", "at", None).is_err() && Period::new("day", "", None).is_err());
    }
}
