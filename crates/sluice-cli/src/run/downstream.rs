//! What does the target do with keys? A name, a table, or a file with one.

use crate::input;
use crate::report::Fail;
use serde_json::Value;
use sluice::core::downstream::{Profile, known_names};

/// Reads `--downstream`.
pub fn downstream(text: &str) -> Result<Profile, Fail> {
    let is_name =
        !text.starts_with('@') && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if is_name {
        return Profile::known(text).ok_or_else(|| unknown(text));
    }
    let bytes = match text.strip_prefix('@') {
        Some(path) => input::file(path)?,
        None => text.as_bytes().to_vec(),
    };
    let table = String::from_utf8(bytes)
        .map_err(|_| Fail::Status(crate::exit::BAD_INPUT, "--downstream is not UTF-8".to_owned()))?;
    let json = if table.trim_start().starts_with('{') { table } else { json_of(&table)? };
    Profile::parse(&json).map_err(|error| Fail::usage(format!("--downstream: {error}")))
}

/// The same table as JSON, so that one reader says what is wrong in either.
fn json_of(table: &str) -> Result<String, Fail> {
    let value: Value = toml::from_str(table).map_err(|error| {
        let why = error.message().to_owned();
        Fail::usage(format!("--downstream is neither a known name nor a table in TOML or JSON: {why}"))
    })?;
    Ok(value.to_string())
}

fn unknown(name: &str) -> Fail {
    Fail::usage(format!(
        "sluice knows no target named {name}; it knows {}\n  describe yours: --downstream 'name = \"psp\"\nheader = \"Idempotency-Key\"\nremembers_ms = 86400000'",
        known_names().join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_a_toml_table_and_a_json_table_are_read_alike() {
        assert_eq!(downstream("stripe").ok(), Profile::known("stripe"));
        let members = [
            "name = \"psp\"\nheader = \"Idempotency-Key\"\nremembers_ms = 60000\n",
            "{\"name\": \"psp\", \"header\": \"Idempotency-Key\", \"remembers_ms\": 60000}",
        ];
        let [toml, json] = members.map(|text| downstream(text).ok().unwrap());
        assert_eq!(toml, json);
        assert_eq!(toml.remembers.unwrap().as_secs(), 60);
    }

    #[test]
    fn what_is_none_of_them_says_so() {
        for text in ["stirpe", "name = ", "{", "name = \"psp\"\nheadr = \"x\"", "@/nowhere/at/all"] {
            assert!(downstream(text).is_err(), "{text}");
        }
    }
}
