//! How much a model is allowed to do, so that it can be explored to its end.

use sluice_core::record::Terms;
use std::time::Duration;

/// The bounds of one exploration. Everything that can happen within them is tried, in every order.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// What is explored, in words.
    pub name: &'static str,
    /// The effect of each intent; two intents share their key and differ in their namespace.
    pub effects: Vec<Effect>,
    /// How many processes there are. One that crashed is started anew.
    pub workers: usize,
    /// How many deliveries ask for a claim.
    pub deliveries: u8,
    /// How many processes are killed.
    pub crashes: u8,
    /// How often the host of all processes and of the ledger is started anew.
    pub reboots: u8,
    /// How many requests or answers are lost, late or doubled.
    pub faults: u8,
    /// How many verdicts are forced or untrue.
    pub lies: u8,
    /// Whether a verdict, a lapse or a reopening can be overtaken between its look and its write.
    pub slow_operator: bool,
}

/// What an effect declares, and how it may end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a declaration of its own")]
pub struct Effect {
    /// It marks its point of no return.
    pub marks: bool,
    /// It may take hold more than once, and is reclaimed where nobody knows.
    pub repeatable: bool,
    /// An attempt may take longer than it may, and goes on.
    pub overdue: bool,
    /// After an attempt that was overdue a second one may be refused, so that its holder's last word says "transient".
    pub second_attempt: bool,
    /// A failure is run again by a delivery that says so, or reopened by a person.
    pub again: bool,
}

/// The most epochs of one intent; what a record remembers of them is kept in arrays of this length.
pub(super) const EPOCHS: usize = 4;

impl Effect {
    /// What a delivery of this effect declares.
    pub(super) fn terms(self) -> Terms {
        Terms {
            declares_marks: self.marks,
            repeatable: self.repeatable,
            attempt_timeout: self.overdue.then_some(Duration::from_secs(5)),
            ..Terms::default()
        }
    }

    /// How long after its lease a holder of this effect might still send something.
    pub(super) fn quiet(self) -> Duration {
        sluice_core::lease::quiet_after(self.terms().attempt_timeout)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            name: "one intent, nothing goes wrong",
            effects: vec![Effect::default()],
            workers: 3,
            deliveries: 2,
            crashes: 0,
            reboots: 0,
            faults: 0,
            lies: 0,
            slow_operator: false,
        }
    }
}
