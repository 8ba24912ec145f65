//! What a `Retry-After` header asks for (the reported fault B04, and the whole kind of it).

use proptest::prelude::*;
use sluice_core::record::LedgerTime;
use sluice_core::retry::RetryAfter;
use std::time::Duration;

/// 1994-11-06T08:49:37Z, a Sunday.
const THEN: LedgerTime = LedgerTime(784_111_777_000);
const S: fn(u64) -> Duration = Duration::from_secs;

fn wait(value: &str, now: LedgerTime) -> Option<Duration> {
    RetryAfter::parse(value.as_bytes(), now).map(|asked| asked.wait(now))
}

#[test]
fn whole_seconds_are_obeyed_and_the_space_around_them_does_not_count() {
    let cases =
        [("0", 0), ("2", 2), (" 2 ", 2), ("\t 120", 120), ("007", 7), ("18446744073709551615", u64::MAX)];
    for (value, seconds) in cases {
        assert_eq!(wait(value, THEN), Some(S(seconds)), "{value:?}");
    }
}

#[test]
fn what_is_malformed_says_nothing() {
    let malformed = [
        "", " ", "-5", "-3", "+3", "1.5", "1e3", "120junk", "120 junk", "0x10", "2, 2", "2;", "١٢",
        "2\u{a0}", "NaN", "now",
    ];
    for value in malformed {
        assert_eq!(wait(value, THEN), None, "{value:?}");
    }
    assert_eq!(wait("2026", THEN), Some(S(2026)), "never a year");
    assert_eq!(RetryAfter::parse(&[0xff, 0xfe], THEN), None);
    assert_eq!(RetryAfter::parse(b"2\n", THEN), None);
    assert_eq!(RetryAfter::parse(b"2\0", THEN), None);
}

#[test]
fn a_number_no_duration_holds_is_longer_than_any_cap() {
    for value in ["18446744073709551616", "99999999999999999999", &"9".repeat(5000)] {
        assert_eq!(wait(value, THEN), Some(Duration::MAX));
    }
}

#[test]
fn all_three_forms_of_a_date_are_read() {
    let now = LedgerTime(THEN.0 - 3000);
    for value in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "  Sun, 06 Nov 1994 08:49:37 GMT\t",
        "Mon, 06 Nov 1994 08:49:37 GMT",
    ] {
        assert_eq!(wait(value, now), Some(S(3)), "{value:?}");
    }
}

#[test]
fn a_date_in_the_past_means_now() {
    let later = LedgerTime(THEN.0 + 1);
    for value in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
    ] {
        assert_eq!(wait(value, later), Some(Duration::ZERO), "{value:?}");
    }
    assert_eq!(wait("Sunday, 06-Nov-94 08:49:37 GMT", later), Some(Duration::ZERO));
}

#[test]
fn a_date_that_is_none_says_nothing() {
    for value in [
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Tue, 29 Feb 1994 08:49:37 GMT",
        "Thu, 29 Feb 1900 08:49:37 GMT",
        "Sun, 31 Apr 1994 08:49:37 GMT",
        "Sun, 31 Jun 1994 08:49:37 GMT",
        "Sun, 31 Sep 1994 08:49:37 GMT",
        "Sun, 32 Dec 1994 08:49:37 GMT",
        "Sun, 30 Feb 2000 08:49:37 GMT",
        "Sun, 29 Feb 2100 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 10000 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday 06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "1994-11-06T08:49:37Z",
        ",",
        "Sun,",
        "Sunday,",
    ] {
        assert_eq!(wait(value, THEN), None, "{value:?}");
    }
}

#[test]
fn the_edges_of_the_calendar_are_read() {
    let at = |value: &str| match RetryAfter::parse(value.as_bytes(), THEN) {
        Some(RetryAfter::At(at)) => at.0,
        other => panic!("{value}: {other:?}"),
    };
    assert_eq!(at("Fri, 31 Dec 9999 23:59:59 GMT"), 253_402_300_799_000);
    assert_eq!(at("Tue, 29 Feb 2000 00:00:00 GMT"), 951_782_400_000);
    assert_eq!(at("Sat, 31 Dec 2016 23:59:60 GMT"), at("Sun, 01 Jan 2017 00:00:00 GMT"));
    assert_eq!(at("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
    assert_eq!(at("Wed, 31 Dec 1969 23:59:59 GMT"), -1000);
    assert_eq!(at("Tue, 29 Feb 2400 00:00:00 GMT"), 13_574_563_200_000);
    assert_eq!(at("Mon, 01 Mar 2100 00:00:00 GMT") - at("Sun, 28 Feb 2100 00:00:00 GMT"), 86_400_000);
    assert_eq!(at("Thu Jan  1 00:59:00 1970"), at("Thursday, 01-Jan-70 00:59:00 GMT"));
    assert_eq!(at("Thu, 01 Jan 1970 23:01:02 GMT"), ((23 * 60 + 1) * 60 + 2) * 1000);
}

#[test]
fn a_two_digit_year_more_than_fifty_years_ahead_is_of_the_past() {
    let now = LedgerTime(1_795_996_800_000); // 2026-11-30T00:00:00Z
    let year = |value: &str| match RetryAfter::parse(value.as_bytes(), now) {
        Some(RetryAfter::At(at)) => 1970 + at.0 / 31_556_952_000,
        other => panic!("{value}: {other:?}"),
    };
    assert_eq!(year("Sunday, 30-Jun-26 00:00:00 GMT"), 2026);
    assert_eq!(year("Sunday, 29-Nov-76 00:00:00 GMT"), 2076);
    assert_eq!(year("Sunday, 01-Dec-76 00:00:00 GMT"), 1976);
    assert_eq!(year("Sunday, 30-Jun-99 00:00:00 GMT"), 1999);
}

#[test]
fn several_headers_that_differ_say_nothing() {
    let of = |values: &[&str]| RetryAfter::of(values.iter().map(|value| value.as_bytes()), THEN);
    assert_eq!(of(&[]), None);
    assert_eq!(of(&["2"]), Some(S(2)));
    assert_eq!(of(&["2", " 2"]), Some(S(2)));
    assert_eq!(of(&["0", "Sun, 06 Nov 1994 08:49:37 GMT"]), Some(S(0)), "both mean now");
    assert_eq!(of(&["2", "3"]), None);
    assert_eq!(of(&["2", "junk"]), None);
    assert_eq!(of(&["junk", "2"]), None);
}

/// A calendar that counts day by day, so that it shares no arithmetic with the one under test.
fn days_before(year: i64, month: usize, day: i64) -> i64 {
    let is_leap = |year: i64| year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let of_year = |year: i64| if is_leap(year) { 366 } else { 365 };
    let years: i64 =
        if year >= 1970 { (1970..year).map(of_year).sum() } else { -(year..1970).map(of_year).sum::<i64>() };
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    years + lengths[..month].iter().sum::<i64>() + day - 1
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

proptest! {
    #[test]
    fn every_date_is_the_moment_that_a_calendar_counted_by_hand_says(
        year in 0_i64..=9999, month in 0_usize..12, day in 1_i64..=28, second in 0_i64..86_400,
    ) {
        let clock = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
        let expected = LedgerTime((days_before(year, month, day) * 86_400 + second) * 1000);
        let name = MONTHS[month];
        for text in [
            format!("Wed, {day:02} {name} {year:04} {clock} GMT"),
            format!("Wed {name} {day:>2} {clock} {year:04}"),
        ] {
            prop_assert_eq!(RetryAfter::parse(text.as_bytes(), THEN), Some(RetryAfter::At(expected)), "{}", text);
        }
    }

    #[test]
    fn a_day_is_read_exactly_where_its_month_has_it(year in 0_i64..=9999, month in 0_usize..12) {
        let next = if month == 11 { days_before(year + 1, 0, 1) } else { days_before(year, month + 1, 1) };
        let length = next - days_before(year, month, 1);
        for day in 28..=32 {
            let text = format!("Wed, {day:02} {} {year:04} 00:00:00 GMT", MONTHS[month]);
            prop_assert_eq!(RetryAfter::parse(text.as_bytes(), THEN).is_some(), day <= length, "{}", text);
        }
    }

    #[test]
    fn a_two_digit_year_is_never_more_than_fifty_years_away_from_now(
        now in 0_i64..253_402_300_799_000, year in 0_i64..100, month in 0_usize..12, day in 1_i64..=28,
    ) {
        let text = format!("Wednesday, {day:02}-{}-{year:02} 00:00:00 GMT", MONTHS[month]);
        let Some(RetryAfter::At(at)) = RetryAfter::parse(text.as_bytes(), LedgerTime(now)) else { panic!() };
        let days = (at.0 - now) / 86_400_000;
        prop_assert!((-18_264..=18_264).contains(&days), "{text} is {days} days away");
    }

    #[test]
    fn no_bytes_and_no_clock_make_it_panic(value: Vec<u8>, now: i64) {
        let _ = RetryAfter::parse(&value, LedgerTime(now)).map(|asked| asked.wait(LedgerTime(now)));
    }

    #[test]
    fn nothing_near_a_date_makes_it_panic(
        value in "(Sunday|Sun),? ?[0-9]{0,3}[- ]?(Feb|Nov) ?-?[0-9]{0,5} [0-9:]{7,9} ?(GMT|[0-9]{4})?", now: i64,
    ) {
        let _ = RetryAfter::parse(value.as_bytes(), LedgerTime(now)).map(|asked| asked.wait(LedgerTime(now)));
    }
}
