//! A person's word: who says something, and why.

use crate::report::Fail;
use clap::Args;

#[derive(Args, Debug)]
pub struct Person {
    /// Who says so; the login name without it
    #[arg(long, value_name = "WHO")]
    by: Option<String>,
    /// Why, or how you know; it stands in the trail
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Person {
    /// Who says it, and why.
    pub fn word(&self) -> Result<(String, String), Fail> {
        if self.reason.trim().is_empty() {
            return Err(Fail::usage("--reason needs a text: whoever reads the trail will ask how you knew"));
        }
        Ok((self.by.clone().unwrap_or_else(login_name), self.reason.clone()))
    }
}

/// The name that this user goes by.
pub fn login_name() -> String {
    let named = ["SUDO_USER", "LOGNAME", "USER"].into_iter().find_map(|name| std::env::var(name).ok());
    named
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}
