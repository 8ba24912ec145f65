//! Which keys are sensitive members hashed with?

use super::config;
use crate::input;
use crate::report::Fail;
use sluice::core::contract::{Contract, IdentityKeys};

const TEXT: &str = "SLUICE_IDENTITY_KEY";
const FILE: &str = "SLUICE_IDENTITY_KEY_FILE";

/// Reads the keys that a contract needs from the environment: `SLUICE_IDENTITY_KEY`, or the file that
/// `SLUICE_IDENTITY_KEY_FILE` names. A contract without sensitive members needs none.
pub fn identity_keys(contract: &Contract) -> Result<IdentityKeys, Fail> {
    if contract.sensitive.is_empty() {
        return Ok(IdentityKeys::default());
    }
    let keys = IdentityKeys::parse(&text()?).map_err(|error| config(format!("{TEXT}: {error}")))?;
    match contract.lacks_key(&keys) {
        None => Ok(keys),
        Some(name) => {
            let wanted = if name.is_empty() { "name:secret".to_owned() } else { format!("{name}:secret") };
            Err(config(format!(
                "E_CONFIG: {} has sensitive members, and the key to hash them with is not there; nothing was run\n  set {TEXT}={wanted}, or {FILE} to a file with it: a secret of the application, of at least 16 bytes, the same on every machine",
                contract.effect
            )))
        }
    }
}

fn text() -> Result<String, Fail> {
    if let Ok(text) = std::env::var(TEXT) {
        return Ok(text);
    }
    let Some(path) = std::env::var_os(FILE) else { return Ok(String::new()) };
    let unreadable = || config(format!("the file that {FILE} names cannot be read, or is not UTF-8"));
    let bytes = input::file(&path.to_string_lossy()).map_err(|_| unreadable())?;
    String::from_utf8(bytes).map_err(|_| unreadable())
}
