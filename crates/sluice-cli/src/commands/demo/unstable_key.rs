//! `sluice demo unstable-key`: the same webhook twice, named by its message and named by its business.

use super::stage::{Stage, title};
use crate::exit;
use crate::report::{Fail, tell};

const SCRIPT: &str = r#"echo "charged 1999" >> "$1"; echo "receipt $(wc -l < "$1")""#;

/// What stands in the key on each of the two deliveries.
type Deliveries = [&'static str; 2];

const WITH_MESSAGE_ID: Deliveries = [
    r#"{"message_id":"msg-1","order":"o-17","amount_cents":1999}"#,
    r#"{"message_id":"msg-2","order":"o-17","amount_cents":1999}"#,
];
const BY_ORDER: Deliveries = [r#"{"order":"o-17","amount_cents":1999}"#; 2];

pub fn play(stage: &Stage) -> Result<u8, Fail> {
    tell!("A shop sends a webhook: charge 1999 for order o-17. It hears no answer, and sends it again.");
    tell!("  {}\n  {}", WITH_MESSAGE_ID[0], WITH_MESSAGE_ID[1]);

    title("1. With the message id in the key, the second delivery is a new intent");
    deliver(stage, "charges-1", WITH_MESSAGE_ID, [1, 2])?;

    title("2. With a key from the order alone, it is the same one");
    deliver(stage, "charges-2", BY_ORDER, [1, 1])?;

    title(
        "A key is what stays the same when the same thing is asked for again: the order does, the message id does not.",
    );
    Ok(exit::OK)
}

fn deliver(stage: &Stage, target: &str, deliveries: Deliveries, wanted: [usize; 2]) -> Result<(), Fail> {
    let path = stage.path(target).display().to_string();
    for (args, wanted) in deliveries.into_iter().zip(wanted) {
        let run = ["run", "--tool", "charge_card", "--args", args, "--", "sh", "-c", SCRIPT, "charge", &path];
        stage.sluice(&run, exit::OK)?;
        stage.count(target, "charges", wanted)?;
    }
    Ok(())
}
