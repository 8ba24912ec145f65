//! When a circuit refuses, whom it lets try, and what it makes of the answer (the reported fault B15).

use proptest::prelude::*;
use sluice_core::FailureClass::{self, Overdue, Transient, Unclassified, Unknown};
use sluice_core::breaker::{
    BreakerSettings, Circuit, CircuitState, Generation, Heard, Permit, Shared, Ticket, Window, ask, change,
    heard, reconsider, release,
};
use sluice_core::ids::{ClaimId, Version};
use sluice_core::record::LedgerTime;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

const S: fn(u64) -> Duration = Duration::from_secs;

fn claim(n: u8) -> ClaimId {
    ClaimId::from_bytes([n; 16])
}

/// One process at one circuit, in the middle of the range of chance.
#[derive(Clone, Default)]
struct Process {
    circuit: Circuit,
    window: Window,
    now: LedgerTime,
}

impl Process {
    fn ask(&mut self, n: u8) -> Permit {
        let permit = ask(&self.circuit, self.now, claim(n), &BreakerSettings::default());
        if let Permit::Probe { change: Some(change), .. } = &permit {
            assert!(change.apply(&mut self.circuit));
        }
        permit
    }

    fn ticket(&mut self, n: u8) -> Ticket {
        match self.ask(n) {
            Permit::Go(ticket) | Permit::Probe { ticket, .. } => ticket,
            Permit::Refused { retry_after } => panic!("refused for {retry_after:?}"),
        }
    }

    /// Reports an outcome; true if it changed the circuit.
    fn tell(&mut self, ticket: Ticket, said: Heard) -> bool {
        self.window.hear(ticket, said);
        let settings = BreakerSettings::default();
        let change = change(&self.circuit, &self.window, ticket, said, self.now, 0.5, &settings);
        change.is_some_and(|change| change.apply(&mut self.circuit))
    }

    fn call(&mut self, said: Heard) -> bool {
        let ticket = self.ticket(1);
        self.tell(ticket, said)
    }

    fn pass(&mut self, seconds: i64) {
        self.now.0 += seconds * 1000;
    }

    /// How long it refuses everybody.
    fn refuses_for(&mut self) -> Duration {
        match self.ask(250) {
            Permit::Refused { retry_after } => retry_after,
            other => panic!("{other:?}"),
        }
    }

    fn opened() -> Self {
        let mut process = Self::default();
        (0..5).for_each(|_| {
            process.call(Heard::Trouble);
        });
        assert!(matches!(process.circuit.state, CircuitState::Open { .. }));
        process
    }
}

#[test]
fn it_opens_at_half_of_at_least_five_outcomes() {
    use Heard::{Answered, Trouble};
    let opens = |outcomes: &[Heard]| {
        let mut process = Process::default();
        outcomes.iter().fold(false, |_, said| process.call(*said))
    };
    assert!(!opens(&[Trouble; 4]));
    assert!(opens(&[Trouble; 5]));
    assert!(opens(&[Answered, Answered, Trouble, Trouble, Trouble]));
    assert!(!opens(&[Answered, Answered, Answered, Trouble, Trouble]));
    assert!(opens(&[Answered, Answered, Answered, Trouble, Trouble, Trouble]));
}

#[test]
fn outcomes_that_came_together_from_several_processes_open_it_and_a_success_never_does() {
    let settings = BreakerSettings::default();
    let opens = |generation: u64, outcomes: &[bool]| {
        let mut shared = Shared::default();
        for failed in outcomes {
            shared.window.note(Generation(generation), *failed);
        }
        reconsider(&shared, LedgerTime(1000), || 0.5, &settings)
    };
    let opened = opens(0, &[true; 5]).expect("five of five");
    assert_eq!((opened.expected, opened.next.generation), (Version(0), Generation(1)));
    assert_eq!(opened.next.state, CircuitState::Open { until: LedgerTime(31_000) });
    assert_eq!(opens(0, &[true; 4]), None, "too few");
    assert_eq!(opens(0, &[false, false, false, true, true]), None, "less than half");
    assert_eq!(opens(0, &[true, true, true, true, false]), None, "the newest is a success");
    assert_eq!(opens(1, &[true; 5]), None, "they are of another generation");
    let mut open = Shared { circuit: opened.next, ..Shared::default() };
    open.window.note(Generation(1), true);
    let drawn = || panic!("chance is drawn where it opens");
    assert_eq!(reconsider(&open, LedgerTime(1000), drawn, &settings), None);
}

#[test]
fn only_the_last_twenty_outcomes_count() {
    let mut process = Process::default();
    for _ in 0..1000 {
        process.call(Heard::Answered);
    }
    let opened: Vec<bool> = (0..10).map(|_| process.call(Heard::Trouble)).collect();
    assert_eq!(opened.iter().position(|opened| *opened), Some(9));
}

#[test]
fn what_a_target_declines_is_an_answer_and_what_was_never_begun_says_nothing() {
    let mut process = Process::default();
    for _ in 0..100 {
        assert!(!process.call(heard(Some(FailureClass::Permanent))));
        assert!(!process.call(heard(Some(FailureClass::NotStarted))));
    }
    assert!(process.circuit.is_closed());
    assert_eq!((process.window.failures(), process.window.outcomes()), (0, 20));
    for class in [Transient, Unknown, Unclassified, Overdue] {
        assert_eq!(heard(Some(class)), Heard::Trouble);
    }
}

#[test]
fn while_open_everybody_is_refused_with_the_time_that_is_left() {
    let mut process = Process::opened();
    assert_eq!(process.refuses_for(), S(30));
    process.pass(29);
    assert_eq!(process.refuses_for(), S(1));
}

#[test]
fn half_open_lets_one_of_fifty_through() {
    let mut process = Process::opened();
    process.pass(30);
    let permits: Vec<_> = (0..50).map(|n| process.ask(n)).collect();
    assert!(matches!(permits[0], Permit::Probe { .. }));
    for permit in &permits[1..] {
        let Permit::Refused { retry_after } = permit else { panic!("{permit:?}") };
        assert_eq!(*retry_after, S(60));
    }
}

#[test]
fn a_probe_that_hangs_loses_its_slot_to_another_and_its_late_word_changes_nothing() {
    let mut process = Process::opened();
    process.pass(30);
    let hanging = process.ticket(1);
    process.pass(60);
    let second = process.ticket(2);
    assert!(!process.tell(hanging, Heard::Answered));
    assert!(!process.tell(hanging, Heard::Trouble));
    assert!(process.tell(second, Heard::Answered));
    assert!(process.circuit.is_closed());
}

#[test]
fn a_probe_that_is_dropped_or_says_nothing_frees_its_slot_at_once() {
    for by_word in [false, true] {
        let mut process = Process::opened();
        process.pass(30);
        let dropped = process.ticket(1);
        let freed = release(&process.circuit, dropped, process.now);
        if by_word {
            assert!(process.tell(dropped, Heard::Nothing));
        } else {
            assert!(freed.unwrap().apply(&mut process.circuit));
        }
        assert_eq!(release(&process.circuit, dropped, process.now), None, "once");
        assert!(matches!(process.ask(2), Permit::Probe { change: Some(_), .. }));
    }
}

#[test]
fn a_probe_that_is_declined_closes_the_circuit_and_the_past_is_forgotten() {
    let mut process = Process::opened();
    process.pass(30);
    let probe = process.ticket(1);
    assert!(process.tell(probe, heard(Some(FailureClass::Permanent))));
    assert!(process.circuit.is_closed());
    let opened: Vec<bool> = (0..5).map(|_| process.call(Heard::Trouble)).collect();
    assert_eq!(opened, [false, false, false, false, true]);
}

#[test]
fn each_failed_probe_doubles_the_time_up_to_five_minutes_and_a_success_begins_anew() {
    let mut process = Process::opened();
    let mut times = Vec::new();
    for _ in 0..6 {
        times.push(process.refuses_for().as_secs());
        process.pass(300);
        let probe = process.ticket(1);
        assert!(process.tell(probe, Heard::Trouble));
    }
    assert_eq!(times, [30, 60, 120, 240, 300, 300]);
    process.pass(300);
    let probe = process.ticket(1);
    assert!(process.tell(probe, Heard::Answered));
    for _ in 0..5 {
        process.call(Heard::Trouble);
    }
    assert_eq!(process.refuses_for(), S(30));
}

#[test]
fn a_success_from_before_it_opened_changes_nothing() {
    let mut process = Process::default();
    let early = process.ticket(9);
    for _ in 0..5 {
        process.call(Heard::Trouble);
    }
    let open = process.circuit.clone();
    assert!(!process.tell(early, Heard::Answered));
    process.pass(30);
    let _probe = process.ticket(1);
    assert!(!process.tell(early, Heard::Answered) && !process.tell(early, Heard::Trouble));
    assert!(process.circuit.generation > open.generation);
}

#[test]
fn the_same_claim_that_asks_again_has_its_probe_still() {
    let mut process = Process::opened();
    process.pass(30);
    let ticket = process.ticket(1);
    assert_eq!(process.ask(1), Permit::Probe { ticket, change: None });
}

#[test]
fn of_two_processes_that_want_the_probe_one_gets_it() {
    let mut stored = Process::opened().circuit;
    let (now, settings) = (LedgerTime(30_000), BreakerSettings::default());
    let asked = [1, 2].map(|n| ask(&stored, now, claim(n), &settings));
    let taken = asked.map(|permit| match permit {
        Permit::Probe { change: Some(change), .. } => change.apply(&mut stored),
        other => panic!("{other:?}"),
    });
    assert_eq!(taken, [true, false]);
    assert!(matches!(ask(&stored, now, claim(2), &settings), Permit::Refused { .. }));
}

#[test]
fn what_another_process_wrote_counts_where_it_is_later() {
    let (closed, open) = (Circuit::default(), Process::opened().circuit);
    assert_eq!(closed.clone().merged(open.clone()), open);
    assert_eq!(open.clone().merged(closed), open);
}

#[test]
fn a_process_that_is_started_anew_finds_the_circuit_as_it_was_stored() {
    let stored = Process::opened().circuit;
    let text = serde_json::to_string(&stored).unwrap();
    assert_eq!(text, r#"{"version":1,"generation":1,"failed_probes":0,"state":{"open":{"until":30000}}}"#);
    let circuit: Circuit = serde_json::from_str(&text).unwrap();
    let mut anew = Process { circuit, ..Process::default() };
    assert_eq!(anew.refuses_for(), S(30));
}

#[test]
fn a_clock_that_was_taken_back_does_not_make_it_refuse_for_ever() {
    let mut process = Process::opened();
    process.now = LedgerTime(i64::MIN);
    assert!(matches!(process.ask(1), Permit::Probe { .. }));
    process.now = LedgerTime(i64::MAX);
    let _ = process.ask(2);
    assert!(matches!(process.ask(3), Permit::Probe { .. } | Permit::Refused { .. }));
}

#[test]
fn the_time_it_is_open_is_spread_by_a_fifth_either_way() {
    let settings = BreakerSettings::default();
    for (failed, middle) in [(0, 30_u64), (1, 60), (4, 300), (u32::MAX, 300)] {
        let middle = S(middle);
        assert_eq!(settings.open_for(failed, 0.0), middle * 4 / 5);
        assert_eq!(settings.open_for(failed, 0.5), middle);
        let longest = settings.open_for(failed, f64::NAN);
        assert!(longest < middle * 6 / 5 && longest > middle * 119 / 100);
    }
    let none = BreakerSettings { open: Duration::ZERO, ..settings };
    assert!(none.open_for(0, 0.0) > Duration::ZERO);
    let endless = BreakerSettings { open: Duration::MAX, open_max: Duration::MAX, ..settings };
    assert!(endless.open_for(9, 1.0) <= Duration::from_hours(1));
}

/// What can happen at a circuit that several processes share through a store.
#[derive(Clone, Copy, Debug)]
enum Step {
    Ask { process: usize, stale: bool },
    Tell { ticket: usize, said: Heard, crash: bool },
    Drop { ticket: usize },
    Pass { ms: i64 },
    Restart { process: usize },
}

const PROCESSES: usize = 3;

/// Several processes, each with what it last read, and the ledger's own copy.
#[derive(Default)]
struct World {
    stored: Circuit,
    seen: [Circuit; PROCESSES],
    windows: [Window; PROCESSES],
    now: LedgerTime,
    asked: u8,
    tickets: Vec<(usize, Ticket)>,
    /// Whoever was ever given a probe, by generation.
    probes: BTreeMap<u64, ClaimId>,
}

impl World {
    fn step(&mut self, step: Step, sample: f64) -> Result<String, TestCaseError> {
        Ok(match step {
            Step::Ask { process, stale } => self.ask(process, stale)?,
            Step::Tell { ticket, said, crash } => self.tell(ticket, said, crash, sample),
            Step::Drop { ticket } => self.drop(ticket),
            Step::Pass { ms } => {
                self.now.0 += ms;
                format!("{ms} ms pass")
            }
            Step::Restart { process } => {
                self.windows[process] = Window::default();
                self.seen[process] = self.stored.clone();
                format!("process {process} starts anew")
            }
        })
    }

    fn ask(&mut self, process: usize, stale: bool) -> Result<String, TestCaseError> {
        if !stale {
            self.seen[process] = self.seen[process].clone().merged(self.stored.clone());
        }
        self.asked = self.asked.wrapping_add(1);
        let (me, settings) = (claim(self.asked), BreakerSettings::default());
        Ok(match ask(&self.seen[process], self.now, me, &settings) {
            Permit::Go(ticket) => {
                self.tickets.push((process, ticket));
                "goes".to_owned()
            }
            Permit::Probe { change: None, .. } => {
                return Err(TestCaseError::fail("a slot that was not taken"));
            }
            Permit::Probe { ticket, change: Some(change) } => {
                let live = match self.stored.state {
                    CircuitState::HalfOpen { .. } => !self.stored.wait(self.now).is_zero(),
                    _ => false,
                };
                let applied = change.apply(&mut self.stored);
                self.seen[process] = self.stored.clone();
                if applied {
                    prop_assert!(!live, "a second live probe");
                    let before = self.probes.insert(ticket.generation().0, me);
                    prop_assert_eq!(before, None, "two probes of one generation");
                    self.tickets.push((process, ticket));
                }
                format!("probes: {applied}")
            }
            Permit::Refused { retry_after } => {
                prop_assert!(!retry_after.is_zero() && retry_after <= Duration::from_hours(1));
                format!("is refused for {} ms", retry_after.as_millis())
            }
        })
    }

    fn tell(&mut self, ticket: usize, said: Heard, crash: bool, sample: f64) -> String {
        if self.tickets.is_empty() {
            return "nobody tells".to_owned();
        }
        let (process, ticket) = self.tickets.remove(ticket % self.tickets.len());
        if crash {
            return "is never heard of again".to_owned();
        }
        self.windows[process].hear(ticket, said);
        let settings = BreakerSettings::default();
        let decide = |circuit: &Circuit, window: &Window| {
            change(circuit, window, ticket, said, self.now, sample, &settings)
        };
        let mut applied = None;
        while let Some(change) = decide(&self.seen[process], &self.windows[process]) {
            let done = change.apply(&mut self.stored);
            applied = Some(done);
            self.seen[process] = self.stored.clone();
            if done {
                break;
            }
        }
        format!("tells {said:?}: {applied:?}")
    }

    fn drop(&mut self, ticket: usize) -> String {
        if self.tickets.is_empty() {
            return "nobody drops".to_owned();
        }
        let (process, ticket) = self.tickets.remove(ticket % self.tickets.len());
        let freed = release(&self.stored, ticket, self.now).map(|change| change.apply(&mut self.stored));
        self.seen[process] = self.stored.clone();
        format!("drops: {freed:?}")
    }
}

fn steps() -> impl Strategy<Value = Step> {
    let said = prop::sample::select(&[Heard::Answered, Heard::Trouble, Heard::Trouble, Heard::Nothing][..]);
    prop_oneof![
        4 => (0..PROCESSES, any::<bool>()).prop_map(|(process, stale)| Step::Ask { process, stale }),
        4 => (any::<usize>(), said, prop::bool::weighted(0.1))
            .prop_map(|(ticket, said, crash)| Step::Tell { ticket, said, crash }),
        1 => any::<usize>().prop_map(|ticket| Step::Drop { ticket }),
        2 => (0_i64..70_000).prop_map(|ms| Step::Pass { ms }),
        1 => (0..PROCESSES).prop_map(|process| Step::Restart { process }),
    ]
}

proptest! {
    #[test]
    fn no_order_of_events_makes_two_probes_or_leaves_it_refusing_for_ever(
        steps in prop::collection::vec((steps(), 0.0_f64..1.0), 0..300),
    ) {
        let mut world = World::default();
        for (step, sample) in steps {
            world.step(step, sample)?;
        }
        world.now.0 += 6 * 60 * 1000;
        let settings = BreakerSettings::default();
        for circuit in [&world.stored].into_iter().chain(&world.seen) {
            let permit = ask(circuit, world.now, claim(255), &settings);
            prop_assert!(!matches!(permit, Permit::Refused { .. }), "{circuit:?}");
        }
    }

    #[test]
    fn a_stored_circuit_survives_its_text(version: u64, generation: u64, failed_probes: u32, until: i64, kind in 0..3) {
        let until = LedgerTime(until);
        let state = match kind {
            0 => CircuitState::Closed,
            1 => CircuitState::Open { until },
            _ => CircuitState::HalfOpen { owner: claim(7), until },
        };
        let circuit = Circuit {
            version: Version(version),
            generation: sluice_core::breaker::Generation(generation),
            failed_probes,
            state,
        };
        let text = serde_json::to_string(&circuit).unwrap();
        prop_assert_eq!(serde_json::from_str::<Circuit>(&text).unwrap(), circuit);
    }

    #[test]
    fn no_number_makes_it_panic(
        version: u64, generation: u64, failed_probes: u32, until: i64, now: i64, sample: f64,
        open: u64, least_outcomes: u32, failures_percent: u32,
    ) {
        let settings = BreakerSettings {
            open: Duration::from_millis(open), open_max: Duration::MAX, probe: Duration::MAX,
            least_outcomes, failures_percent,
        };
        let (me, now, until) = (claim(1), LedgerTime(now), LedgerTime(until));
        for state in [CircuitState::Closed, CircuitState::Open { until }, CircuitState::HalfOpen { owner: me, until }] {
            let circuit = Circuit {
                version: Version(version),
                generation: sluice_core::breaker::Generation(generation),
                failed_probes,
                state,
            };
            if let Permit::Go(ticket) | Permit::Probe { ticket, .. } = ask(&circuit, now, me, &settings) {
                let mut window = Window::default();
                for said in [Heard::Trouble, Heard::Answered, Heard::Nothing] {
                    window.hear(ticket, said);
                    let _ = change(&circuit, &window, ticket, said, now, sample, &settings);
                }
            }
        }
    }
}

/// A generator that is written down here, so that the trace below depends on nothing else.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn step(&mut self) -> Step {
        let index = |drawn: u64| usize::try_from(drawn).unwrap();
        match self.below(10) {
            0..=3 => Step::Ask { process: index(self.below(3)), stale: self.below(2) == 0 },
            4..=7 => {
                let said = [Heard::Answered, Heard::Trouble, Heard::Trouble][index(self.below(3))];
                Step::Tell { ticket: index(self.below(9)), said, crash: self.below(10) == 0 }
            }
            8 => Step::Drop { ticket: index(self.below(9)) },
            _ => Step::Pass { ms: i64::try_from(self.below(70_000)).unwrap() },
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let (mut world, mut drawn, mut trace) = (World::default(), Drawn(15), String::new());
    for _ in 0..400 {
        let step = drawn.step();
        let sample = f64::from(u32::try_from(drawn.below(1024)).unwrap()) / 1024.0;
        let said = world.step(step, sample).unwrap();
        let state = serde_json::to_string(&world.stored.state).unwrap();
        writeln!(trace, "{} {said} {state}", world.now.0).unwrap();
    }
    let digest = sluice_core::key::lower_hex(&sluice_core::outcome::digest(trace.as_bytes()));
    let changes = world.stored.version.0;
    assert_eq!((changes, &digest[..16]), (17, "f04ac4889b258169"), "the trace is now\n{trace}");
}
