//! Which targets are known, and what is known of them?

use super::profile::Profile;

/// Facts with their sources. The test of this crate reads every one of them, so that none is ever missing.
const KNOWN: &str = include_str!("known.json");

/// The names, in the file's order.
const NAMES: [&str; 10] = [
    "stripe",
    "stripe_v2",
    "adyen",
    "square",
    "increase",
    "aws_client_token",
    "google_aip_155",
    "azure_repeatability",
    "agentic_commerce",
    "ietf_draft",
];

pub(super) fn all() -> Vec<Profile> {
    serde_json::from_str(KNOWN).unwrap_or_default()
}

/// The names of the built-in profiles.
///
/// ```
/// assert!(sluice_core::downstream::known_names().contains(&"stripe"));
/// ```
pub fn known_names() -> [&'static str; 10] {
    NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_exactly_the_names() {
        let profiles: Vec<Profile> = serde_json::from_str(KNOWN).unwrap();
        assert_eq!(profiles.iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>(), NAMES);
    }
}
