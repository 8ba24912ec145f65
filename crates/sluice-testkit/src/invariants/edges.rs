//! The legal ways between states, as the design draws them.

use sluice_core::state::Status;
use sluice_core::trail::EventKind;

/// Whether a change may lead from one state to the other with this event.
pub(super) fn is_legal(from: Option<Status>, to: Status, event: EventKind) -> bool {
    use EventKind as E;
    use Status::{Failed, InFlight, Indeterminate, Released, Succeeded};
    let word = matches!(event, E::Succeeded | E::Failed | E::Released | E::Unknown);
    match (from, to) {
        (None | Some(Released | Failed), InFlight) => event == E::Claimed,
        (Some(InFlight), InFlight) => event == E::Marked || event == E::Evidence || word,
        (Some(InFlight), Succeeded | Indeterminate) => word || event == E::Lapsed,
        (Some(InFlight | Indeterminate), Failed) => event == E::Failed,
        (Some(InFlight), Released) => matches!(event, E::Released | E::Lapsed),
        (Some(Indeterminate), InFlight) => event == E::Reclaimed,
        (Some(Indeterminate), Succeeded) => word || matches!(event, E::Verdict | E::Evidence),
        (Some(Indeterminate), Indeterminate) => word || event == E::Verdict,
        (Some(Indeterminate), Released) => matches!(event, E::Released | E::Failed | E::Verdict),
        (Some(Released | Failed), Succeeded) => matches!(event, E::Succeeded | E::Evidence),
        (Some(Failed), Released) => event == E::Reopened,
        (Some(Succeeded), Succeeded) => word || event == E::Evidence,
        _ => false,
    }
}
