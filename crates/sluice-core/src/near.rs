//! Which known name may be meant by one that is not known?

/// Returns the name that is no more than two letters away, if there is one.
///
/// ```
/// use sluice_core::near::nearest;
/// assert_eq!(nearest("identiy", ["scope", "identity"]), Some("identity"));
/// assert_eq!(nearest("colour", ["scope", "identity"]), None);
/// ```
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let closest = names.into_iter().map(|known| (distance(name, known), known)).min()?;
    (closest.0 <= 2).then_some(closest.1)
}

/// How many letters have to be put in, taken out or replaced; texts that differ much in length are not looked at.
fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 3 || a.len() > 100 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (above, x) in (1..).zip(a.bytes()) {
        let mut diagonal = std::mem::replace(&mut row[0], above);
        for (at, y) in (1..).zip(b.bytes()) {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[at];
            row[at] = replaced.min(diagonal + 1).min(row[at - 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted() {
        let cases = [("stripe", "stripe", 0), ("strpe", "stripe", 1), ("header", "haeder", 2), ("", "ab", 2)];
        for (a, b, expected) in cases {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_name_that_is_too_far_away_means_nothing() {
        assert_eq!(nearest("id", ["at", "ip"]), Some("ip"));
        assert_eq!(nearest("vers", ["version"]), None);
        assert_eq!(nearest("anything", []), None);
    }
}
