//! Stores that break one rule each, on purpose.
//!
//! A suite is only worth what it catches. Each [`Fault`] is a mistake that somebody could make in a store, or has
//! made in one; a [`BrokenStore`] makes it and does everything else right. The tests of this crate fail where a fault
//! is caught by no rule, and where a rule catches no fault.

mod answers;
mod bodies;
mod circuits;
mod clocks;
mod guards;
mod lists;
mod names;
mod renewals;
mod store;
mod subject;
mod upkeep;

pub use store::BrokenStore;
pub use subject::BrokenSubject;

macro_rules! faults {
    ($($name:ident = $sentence:literal,)*) => {
        /// One mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Fault { $(#[doc = $sentence] $name,)* }

        impl Fault {
            /// Every mistake.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What such a store does wrong, as a sentence about it.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

faults! {
    GrantsUnchecked = "grants every claim without looking",
    ForgetsVersion = "forgets the version a change was made for",
    ForgetsStatus = "forgets the status a change was made for",
    ForgetsEpoch = "forgets the epoch a change was made for",
    ForgetsGrant = "forgets whose claim a change was made for",
    ForgetsSuperseded = "grants a superseded claim id again",
    KnowsOnlyTheNewest = "does not know an older holder",
    SharesClaimIds = "takes a claim id of another record for one of this",
    IgnoresLease = "ignores what a change wants of the lease",
    LiveAtItsEnd = "takes a lease that ended this moment for one that runs",
    EndsEarly = "takes a lease with a millisecond left for one that ended",
    NeedsNoQuiet = "does not wait for a lease to have been over",
    QuietTooSoon = "waits a millisecond too little after the end of a lease",
    ChecksThenWrites = "checks and writes in two steps",
    JudgesLeaseFirst = "says that the lease does not hold where the record does not",
    WallClockLeases = "judges leases by the clock on the wall",
    SlowLeases = "judges leases by a clock that is a tenth too slow",
    FastLeases = "judges leases by a clock that is a tenth too fast",
    RoundsLeases = "tells the time a lease has left in whole seconds",
    CapsLeases = "grants no lease beyond an hour",
    SettleEndsLease = "counts every settled lease as ended now",
    KeepExtendsLease = "extends a lease with every change",
    GrantKeepsLease = "leaves the old lease where a new one is granted",
    OutlivesReboot = "takes a lease of another boot for one that runs",
    RebootEndsNow = "says that a lease ended just now where the host was started anew",
    RebootIsQuiet = "takes a reboot for long enough ago",
    SettleForgetsReboot = "leaves a lease that ended at a reboot as it is when it settles",
    KeepSettlesReboot = "settles a lease that ended at a reboot with every change",
    VersionJumps = "counts two versions for a change",
    LiesAboutApplied = "carries a change out and says that it did not",
    AnswersFullLease = "answers every change with a full lease",
    FindsNothing = "finds nothing where it refuses",
    BlamesTheRecord = "says that the record differs whatever does not hold",
    AppliesHalf = "stores a change without its status",
    LosesAbandoned = "writes no event where the caller went away",
    UpdatedGoesBack = "lets the time of the last change go backwards",
    CreatedMoves = "takes the last change for the beginning",
    UnknownLife = "stamps every record with life 0",
    EvictsOldest = "forgets the oldest record when it is full",
    EventTwice = "writes every event twice",
    OmitsEvent = "writes no event for a mark",
    KeepsRefusedEvent = "writes the event of a change that it refused",
    RewordsEvent = "forgets why an event was written",
    EventsBackwards = "gives the newest event first",
    EventWithoutTime = "does not stamp its events",
    VersionedNotice = "gives a notice a version",
    NoticeBumpsVersion = "counts a notice as a change",
    NoticeNeedsRecord = "drops a notice about a key without a record",
    MixesEvents = "finds the events of a key in every namespace",
    RenewBumpsVersion = "counts a renewal as a change",
    RenewRevives = "renews a lease that is over",
    RenewIgnoresClaim = "renews for any claim",
    RenewIgnoresEpoch = "renews for any epoch",
    RenewIgnoresStatus = "renews what is settled",
    RenewsAbsent = "renews what is not there",
    RenewMovesNothing = "says that it renewed and moves nothing",
    LostRenewMoves = "moves the lease and says that it is lost",
    LandedByOwnEpoch = "takes the holder's own landing for another one's",
    LandedNever = "never says that another execution landed",
    DropsUnresolved = "forgets which epochs are in doubt",
    DropsReasons = "forgets why an epoch is in doubt",
    TruncatesResults = "cuts results at 64 KiB",
    ResultsAsText = "stores results as text",
    TruncatesLabels = "cuts labels at 255 characters",
    CoercesNul = "drops NUL from texts",
    EmptyIsNone = "stores an empty text as none",
    OneReason = "knows one reason for a result not kept",
    FloatsDetail = "stores the numbers of a detail as doubles",
    SmallNumbers = "stores numbers in 32 bits",
    SplitsFingerprint = "cuts the name of a secret at its colon",
    JoinsNames = "joins namespace and key",
    FoldsCase = "folds the case of keys",
    IgnoresNamespace = "keeps all namespaces together",
    AsciiNames = "stores what is not ASCII as question marks",
    SkipsAtBorder = "skips a record where a page begins",
    RepeatsAtBorder = "repeats a record where a page begins",
    OldestFirst = "lists the oldest first",
    OrdersByChange = "lists by the last change",
    PagesByOffset = "counts records from the start for the next page",
    PagesOfTen = "gives pages of ten whatever was asked for",
    BadPlaceIsFirstPage = "starts from the beginning where it does not know the place",
    PrefixIsPattern = "takes a prefix for a pattern",
    IgnoresNamespaceFilter = "lists every namespace",
    IgnoresStatusFilter = "lists every status",
    IgnoresToolFilter = "lists every tool",
    IgnoresPrefixFilter = "lists every key",
    IgnoresWithinFilter = "lists whatever the time of the last change",
    ListsStaleLease = "lists every lease as ended",
    IgnoresFlag = "lists whatever was flagged",
    OmitsPreceding = "writes one event where a change has two",
    ForgetsSent = "forgets when an intent was first sent",
    NeverSweeps = "never forgets anything",
    SweepsAll = "sweeps more than it was asked for",
    SweepsLatestFirst = "sweeps the latest first",
    SaysNoMore = "says that nothing is left to sweep",
    SweepsEarly = "forgets a record a millisecond too early",
    SweepsRunning = "forgets what is in flight",
    SweepsDoubt = "forgets what nobody knows",
    ResultTakesRecord = "forgets a record together with its result",
    SweepsSilently = "writes no event of a sweep",
    SweepIsChange = "counts a sweep as a change",
    SweepsHalted = "sweeps while retention is halted",
    HidesHalt = "does not say that retention is halted",
    NeverAccepts = "never takes a clock for right",
    AcceptForgetsAges = "counts ages from before a clock was accepted",
    TellsTheWall = "takes the clock on the wall for ledger time",
    CountsNothing = "counts no deliveries",
    CountsLast = "counts the last deliveries only",
    KeepsFewDeliveries = "keeps three deliveries",
    CountIsChange = "counts a delivery as a change",
    CountsStrangers = "counts deliveries of records that are not there",
    CircuitWritesAnyway = "writes a circuit over any version",
    CircuitNeverWrites = "acknowledges the write of a circuit, and forgets it",
    CircuitChecksThenWrites = "checks and writes a circuit in two steps",
    CircuitsShareOne = "takes every circuit for the same one",
    CircuitsFoldCase = "folds the case of the names of circuits",
    CircuitNamesCut = "cuts the names of circuits at 64 bytes",
    CircuitIsChange = "counts the write of a circuit as a change of the records beside it",
    CircuitTellsTheWall = "tells the clock on the wall with a circuit",
    CircuitsStay = "never forgets a circuit",
    CircuitsUnlisted = "lists the same circuits again on the next page",
    SharedSecret = "uses one secret for everything",
    NewSecretsOnOpen = "makes new secrets whenever it is opened",
    ForgetsOnOpen = "is empty when it is opened again",
    OpenEndsLeases = "ends every lease when it is opened again",
    OpenForgetsGrants = "forgets superseded claim ids when it is opened again",
    MixesUnderLoad = "loses the event of a change that is written beside another",
}

impl Fault {
    /// Whether the mistake only shows where the subject can model a reboot, which the memory store cannot.
    pub fn needs_reboot(self) -> bool {
        use Fault::{KeepSettlesReboot, OutlivesReboot, RebootEndsNow, RebootIsQuiet, SettleForgetsReboot};
        let reboot = [OutlivesReboot, RebootEndsNow, RebootIsQuiet, SettleForgetsReboot, KeepSettlesReboot];
        reboot.contains(&self) || self == Self::GrantKeepsLease
    }
}
