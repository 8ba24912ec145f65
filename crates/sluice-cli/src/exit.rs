//! The exit statuses, in one table (DESIGN §7, RULINGS 30).

use sluice::{Code, Error};

pub const OK: u8 = 0;
pub const FINDINGS: u8 = 1;
pub const USAGE: u8 = 2;
pub const BAD_INPUT: u8 = 65;
pub const AWAY: u8 = 69;
pub const BUG: u8 = 70;
pub const AGAIN: u8 = 75;
pub const REFUSED: u8 = 77;
pub const CONFIG: u8 = 78;
pub const INDETERMINATE: u8 = 90;
pub const CONFLICT: u8 = 91;
pub const NO_OUTPUT: u8 = 94;
pub const CANNOT_RUN: u8 = 126;
pub const NOT_FOUND: u8 = 127;

/// The status for an error that is about no child.
pub fn of(error: &Error) -> u8 {
    match error.code() {
        Code::KeyConflict | Code::Duplicate => CONFLICT,
        Code::InFlight
        | Code::WaitTimeout
        | Code::Released
        | Code::RetryBudget
        | Code::Deadline
        | Code::LeaseLost => AGAIN,
        Code::Indeterminate => INDETERMINATE,
        Code::CircuitOpen | Code::Store => AWAY,
        Code::TooLate | Code::GateRejected | Code::GateTimeout | Code::GateConflict | Code::BadToken => {
            REFUSED
        }
        Code::InvalidKey | Code::InvalidInput => BAD_INPUT,
        Code::Config => CONFIG,
        // The child's own status is used where it is known; without it the failure is all there is to say.
        Code::EffectFailed => 1,
        _ => BUG,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_documented_status() {
        let expected = [
            ("E_KEY_CONFLICT", 91),
            ("E_DUPLICATE", 91),
            ("E_IN_FLIGHT", 75),
            ("E_INDETERMINATE", 90),
            ("E_EFFECT_FAILED", 1),
            ("E_RELEASED", 75),
            ("E_TOO_LATE", 77),
            ("E_CIRCUIT_OPEN", 69),
            ("E_RETRY_BUDGET", 75),
            ("E_DEADLINE", 75),
            ("E_LEASE_LOST", 75),
            ("E_GATE_REJECTED", 77),
            ("E_GATE_TIMEOUT", 77),
            ("E_GATE_CONFLICT", 77),
            ("E_WAIT_TIMEOUT", 75),
            ("E_BAD_TOKEN", 77),
            ("E_INVALID_KEY", 65),
            ("E_INVALID_INPUT", 65),
            ("E_STORE", 69),
            ("E_CONFIG", 78),
        ];
        for (code, status) in Code::ALL.iter().zip(expected) {
            assert_eq!((code.as_str(), of(&Error::new(*code, ""))), status);
        }
    }
}
