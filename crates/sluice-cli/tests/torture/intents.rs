//! What is to be done: the key says it all, so that everybody who delivers an intent delivers the same.

use super::common::{Dice, words};

/// One intent.
#[derive(Clone, Debug)]
pub struct Intent {
    pub key: String,
    number: u64,
}

/// The status of a command that always fails before its effect.
const DECLINED: i32 = 4;
/// The status of one that now and then gives up before its effect.
pub const GIVEN_UP: i32 = 5;

impl Intent {
    pub fn new(number: u64) -> Self {
        Self { key: format!("intent-{number}"), number }
    }

    pub fn of_key(key: &str) -> Self {
        Self::new(key.strip_prefix("intent-").unwrap().parse().unwrap())
    }

    pub fn is_marked(&self) -> bool {
        self.number % 3 == 1
    }

    pub fn is_repeatable(&self) -> bool {
        self.number % 6 == 5
    }

    /// The status with which it always fails, where it does.
    pub fn declined(&self) -> Option<i32> {
        (self.number % 8 == 6).then_some(DECLINED)
    }

    /// The words of a delivery: a short lease, so that a stopped process outlives it.
    pub fn words(&self) -> Vec<String> {
        let mut flags = vec!["--lease", "1s", "--wait", "3s", "--settle-for", "3s", "--exit", "4=failed"];
        flags.extend(["--exit", "5=released"]);
        flags.extend(self.is_marked().then_some("--marked"));
        flags.extend(self.is_repeatable().then_some("--repeatable"));
        words(&self.key, &flags, &self.script())
    }

    /// Waits, may fail, passes its mark where it has one, leaves one line outside of the ledger, and waits.
    fn script(&self) -> String {
        let mut dice = Dice::new(self.number);
        let (before, after) = (dice.below(60), dice.below(60));
        let declined = self.declined().map_or(String::new(), |status| format!("exit {status}; "));
        let mark = if self.is_marked() { "$SLUICE mark || exit 75; " } else { "" };
        format!(
            "sleep 0.0{before:02}; [ $(($$ % 7)) -gt 0 ] || exit {GIVEN_UP}; {declined}{mark}printf '%s %s %s\\n' $SLUICE_KEY $SLUICE_EPOCH $$ >> $WITNESS; sleep 0.0{after:02}; echo done"
        )
    }
}
