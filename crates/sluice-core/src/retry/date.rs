//! Which moment does a date of HTTP name?
//!
//! RFC 9110 §5.6.7 has three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
//! `Sun Nov  6 08:49:37 1994`. Upper and lower case matter. The day of the week has to be one; that it fits the date is
//! not asked, since a server that gets it wrong still says when.

use crate::record::LedgerTime;

const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
const DAYS: [&[u8]; 7] =
    [b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday", b"Sunday"];
const MS_PER_DAY: i64 = 24 * 60 * 60 * 1000;
/// Days of 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// A date and time of UTC. Its order is that of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Civil {
    year: i64,
    month: i64,
    day: i64,
    second: i64,
}

/// Reads a date without white space around it. `now` says which century a two-digit year is of.
pub(super) fn parse(value: &[u8], now: LedgerTime) -> Option<LedgerTime> {
    let comma = value.iter().position(|byte| *byte == b',');
    let civil = match comma {
        Some(3) => fixed(value)?,
        Some(at) => obsolete(value.get(..at)?, value.get(at..)?, now)?,
        None => asctime(value)?,
    };
    civil.moment()
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn fixed(value: &[u8]) -> Option<Civil> {
    let [d1, d2, d3, b',', b' ', rest @ ..] = value else { return None };
    is_short_day([*d1, *d2, *d3]).then_some(())?;
    let [a, b, b' ', m1, m2, m3, b' ', y1, y2, y3, y4, b' ', clock @ .., b' ', b'G', b'M', b'T'] = rest
    else {
        return None;
    };
    Some(Civil {
        year: number(&[*y1, *y2, *y3, *y4])?,
        month: month([*m1, *m2, *m3])?,
        day: number(&[*a, *b])?,
        second: second_of_day(clock)?,
    })
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`.
fn obsolete(day_name: &[u8], rest: &[u8], now: LedgerTime) -> Option<Civil> {
    DAYS.contains(&day_name).then_some(())?;
    let [b',', b' ', a, b, b'-', m1, m2, m3, b'-', y1, y2, b' ', clock @ .., b' ', b'G', b'M', b'T'] = rest
    else {
        return None;
    };
    let written = Civil {
        year: number(&[*y1, *y2])?,
        month: month([*m1, *m2, *m3])?,
        day: number(&[*a, *b])?,
        second: second_of_day(clock)?,
    };
    Some(within_fifty_years(written, Civil::of(now)))
}

/// `Sun Nov  6 08:49:37 1994`.
fn asctime(value: &[u8]) -> Option<Civil> {
    let [d1, d2, d3, b' ', m1, m2, m3, b' ', a, b, b' ', clock @ .., b' ', y1, y2, y3, y4] = value else {
        return None;
    };
    is_short_day([*d1, *d2, *d3]).then_some(())?;
    let day = if *a == b' ' { number(&[*b])? } else { number(&[*a, *b])? };
    Some(Civil {
        year: number(&[*y1, *y2, *y3, *y4])?,
        month: month([*m1, *m2, *m3])?,
        day,
        second: second_of_day(clock)?,
    })
}

/// The last year with these two digits that is no more than 50 years in the future.
fn within_fifty_years(written: Civil, now: Civil) -> Civil {
    let latest = Civil { year: now.year + 50, ..now };
    let newest = latest.year - latest.year.rem_euclid(100) + written.year;
    let candidate = Civil { year: newest, ..written };
    if candidate > latest { Civil { year: newest - 100, ..written } } else { candidate }
}

impl Civil {
    /// Counts years from March, so that a leap day is the last day of one.
    fn moment(self) -> Option<LedgerTime> {
        (1..=days_of_month(self.year, self.month)).contains(&self.day).then_some(())?;
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * DAYS_PER_ERA + day_of_era - 719_468;
        Some(LedgerTime(days.saturating_mul(MS_PER_DAY).saturating_add(self.second * 1000)))
    }

    fn of(time: LedgerTime) -> Self {
        let days = time.0.div_euclid(MS_PER_DAY) + 719_468;
        let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        Self {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted + 2) / 5 + 1,
            second: time.0.rem_euclid(MS_PER_DAY) / 1000,
        }
    }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// `08:49:37`; the second 60 is a leap second and counts as the next minute.
fn second_of_day(clock: &[u8]) -> Option<i64> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = clock else { return None };
    let (hour, minute, second) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?, number(&[*s1, *s2])?);
    (hour < 24 && minute < 60 && second <= 60).then_some((hour * 60 + minute) * 60 + second)
}

fn month(name: [u8; 3]) -> Option<i64> {
    MONTHS.iter().zip(1..).find_map(|(month, number)| (*month == name).then_some(number))
}

fn is_short_day(name: [u8; 3]) -> bool {
    DAYS.iter().any(|day| day.starts_with(&name))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_survives_its_calendar() {
        for days in
            [-719_468 - 366, -719_468, -1, 0, 59, 11_016, 20_000, 2_932_896, i64::MAX / MS_PER_DAY - 1]
        {
            let time = LedgerTime(days * MS_PER_DAY + 86_399_000);
            assert_eq!(Civil::of(time).moment(), Some(time), "{days}");
        }
        let _ = (Civil::of(LedgerTime(i64::MIN)), Civil::of(LedgerTime(i64::MAX)));
    }

    #[test]
    fn every_day_of_two_eras_survives_its_calendar_and_follows_the_day_before() {
        let mut before = Civil { year: i64::MIN, month: 1, day: 1, second: 0 };
        for days in -719_468 - DAYS_PER_ERA..-719_468 + DAYS_PER_ERA {
            let time = LedgerTime(days * MS_PER_DAY + 1000);
            let civil = Civil::of(time);
            assert_eq!(civil.moment(), Some(time), "{days}");
            assert!(before < civil && (1..=12).contains(&civil.month) && civil.second == 1, "{days}");
            before = civil;
        }
    }

    #[test]
    fn a_two_digit_year_is_the_last_one_not_more_than_fifty_years_ahead() {
        let noon = |year, month, day| Civil { year, month, day, second: 43_200 };
        let cases = [
            (noon(2026, 11, 30), noon(76, 11, 30), 2076),
            (noon(2026, 11, 30), noon(76, 12, 1), 1976),
            (noon(2026, 11, 30), noon(0, 1, 1), 2000),
            (noon(2099, 6, 1), noon(1, 6, 1), 2101),
            (noon(1994, 1, 1), noon(94, 11, 6), 1994),
        ];
        for (now, written, year) in cases {
            assert_eq!(within_fifty_years(written, now).year, year, "{written:?} read in {}", now.year);
        }
    }
}
