//! A world as data: who lives in it, what is asked of them, and what goes wrong.

use serde::{Deserialize, Serialize};
use sluice_core::policy::OnDuplicate;
use std::time::Duration;

/// Everything that happens in one world, less what its seed draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Draws delays, orders and whatever the plan leaves open.
    pub seed: u64,
    /// The processes, one entry each.
    pub workers: Vec<Worker>,
    /// What is to be done.
    pub intents: Vec<Intended>,
    /// Who is told to do it, and when.
    pub deliveries: Vec<Delivered>,
    /// What goes wrong.
    pub mishaps: Vec<Mishap>,
    /// How messages travel while nothing else is said.
    pub weather: Weather,
    /// What the effects act on.
    pub target: TargetPlan,
    /// Who looks into what nobody knows, and what they say.
    pub operators: Vec<Operator>,
    /// For how long things go wrong. Then all is quiet, and everything has to end.
    pub storm: Duration,
    /// How many retries a process has in reserve, where that is not as usual; time brings none back then.
    #[serde(default)]
    pub reserve: Option<u32>,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// On which host.
    pub host: usize,
    /// How many millionths the host's clocks are too fast.
    pub drift_ppm: i64,
    /// Whether it proves by a lock that it lives, as the command does.
    pub has_locks: bool,
}

/// One intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own, and any of them go together")]
pub struct Intended {
    /// In which namespace.
    pub namespace: String,
    /// Its key.
    pub key: String,
    /// Whether the effect marks its point of no return.
    pub marks: bool,
    /// Whether it does so by another process than the one that holds the claim, and leaves it to the mark to say what an
    /// attempt without an answer means, as a command does.
    #[serde(default)]
    pub marks_outside: bool,
    /// Whether it may take hold twice, and is run again where nobody knows.
    pub repeatable: bool,
    /// Length of the lease.
    pub lease: Duration,
    /// The longest one attempt may take, if bounded.
    pub timeout: Option<Duration>,
    /// How long the effect thinks before it acts, at least and at most in milliseconds.
    pub think_ms: (u64, u64),
    /// How long its record is kept.
    pub remember: Duration,
    /// How many attempts are made under one claim.
    #[serde(default = "one")]
    pub tries: u32,
    /// Whether its deliveries say what the target does with keys, and send again under the same key what nobody knows.
    #[serde(default)]
    pub by_key: bool,
    /// Whether its deliveries ask the target about what nobody knows.
    #[serde(default)]
    pub probes: bool,
}

fn one() -> u32 {
    1
}

/// One delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// When, from the beginning.
    pub at: Duration,
    /// To which process; to nobody where it is dead then.
    pub worker: usize,
    /// Of which intent.
    pub intent: usize,
    /// Which request it makes under that key; all but 0 are somebody else's.
    pub request: u32,
    /// How long it waits; not at all where it is zero.
    pub patience: Duration,
    /// Whether it runs a failed intent again.
    pub reruns: bool,
    /// What it wants to hear where its intent ended before.
    pub on_duplicate: OnDuplicate,
}

/// What a message to the ledger is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Op {
    /// A look.
    Read,
    /// A claim of any kind.
    Claim,
    /// The point of no return.
    Mark,
    /// A lease that is renewed.
    Renew,
    /// A holder's word.
    Settle,
    /// Anything else.
    Other,
}

/// A moment in the life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Point {
    /// It is about to ask the ledger.
    Asks(Op),
    /// The ledger has done what it asked for, and its answer is on its way.
    Done(Op),
    /// It has heard the answer.
    Heard(Op),
    /// Its effect begins.
    Begins,
    /// Its effect is about to act on the target.
    Acts,
    /// Its effect has acted, and waits for an answer.
    Acted,
    /// The target has answered.
    Answered,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mishap {
    /// A process dies when it comes to that point for the `nth` time (from 1), and a new one starts after a while.
    DiesAt(usize, Point, u32, Duration),
    /// A process dies at that time.
    Dies(usize, Duration, Duration),
    /// A process stops at that point for so long, as by a signal or a suspended host.
    StopsAt(usize, Point, u32, Duration),
    /// A process stops at that time.
    Stops(usize, Duration, Duration),
    /// The ledger cannot be reached for a while.
    LedgerAway(Duration, Duration),
    /// Somebody sets the ledger's clock on the wall.
    LedgerWall(Duration, i64),
    /// The `nth` message of a kind to the ledger is lost, or its answer is, or it comes twice.
    Message(Op, u32, Fate),
    /// The `nth` request to the target meets this.
    Target(u32, TargetFate),
    /// A sweep, as of a handle or a person.
    Sweep(Duration),
    /// Time passes without anything else, as over a weekend.
    Skip(Duration, Duration),
}

/// What becomes of one message to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It never arrives.
    RequestLost,
    /// It is done, and nobody hears of it.
    AnswerLost,
    /// It is done twice.
    Doubled,
    /// It takes so many milliseconds longer.
    Late(u64),
}

/// How messages travel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weather {
    /// How many of a hundred are lost on each way.
    pub loss: u64,
    /// How many of a hundred come twice.
    pub doubled: u64,
    /// How many of a hundred are late.
    pub late: u64,
    /// How late at most, in milliseconds.
    pub late_ms: u64,
}

/// The target and its rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetPlan {
    /// For how long it recognises a key; none where it knows no keys.
    pub honours_keys: Option<Duration>,
    /// Whether it gives a refusal once more where its key comes again.
    #[serde(default)]
    pub replays_failures: bool,
    /// How many of a hundred requests it declines for good.
    pub declines: u64,
    /// How many of a hundred it refuses for now.
    pub down: u64,
    /// How many of a hundred answers are lost.
    pub silent: u64,
    /// The longest a request is on its way, in milliseconds.
    pub slow_ms: u64,
}

/// What one request to the target meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TargetFate {
    /// It takes hold, and says so.
    Lands,
    /// It takes hold, and its answer is lost.
    LandsSilently,
    /// It never arrives, and nobody says so.
    Lost,
    /// It is declined for good.
    Declines,
    /// It is refused for now.
    Down,
    /// It takes hold after so many milliseconds.
    LandsLate(u64),
}

/// Somebody who looks into what nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// When.
    pub at: Duration,
    /// How well.
    pub care: Care,
}

/// How well an operator looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Care {
    /// Looks at the target, and says what is there, once that is taken.
    Honest,
    /// Says the same twice, and then the opposite, which must not count any more.
    Twice,
    /// Says the opposite, and overrules every guard.
    Wrong,
    /// Gives what failed another chance, and tries it with what did not fail too.
    Reopens,
}

impl Plan {
    /// Whether sluice promises one landing at most for what happens here (RULINGS 39).
    pub fn is_honest(&self) -> bool {
        self.operators.iter().all(|operator| operator.care != Care::Wrong)
    }

    /// It as JSON, to be read back by [`Plan::from_json`].
    ///
    /// # Panics
    /// Never: a plan is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| panic!("a plan is plain data: {error}"))
    }

    /// Reads a plan that was written down.
    ///
    /// # Errors
    /// Where the text is no plan.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Default for TargetPlan {
    fn default() -> Self {
        Self { honours_keys: None, replays_failures: false, declines: 0, down: 0, silent: 0, slow_ms: 50 }
    }
}
