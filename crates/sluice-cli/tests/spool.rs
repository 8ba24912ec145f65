//! An outcome that the ledger does not take is kept aside, and taken in by a later run.

mod common;

use common::Place;

#[test]
fn an_outcome_the_ledger_did_not_take_is_taken_in_by_the_next_run() {
    let place = Place::new();
    let script = "echo hit >> $WITNESS; mv ledger.db away.db; echo the-answer";
    let flags = ["--settle-for", "200ms"];
    let first = place.run_with("k", &flags, script);
    assert_eq!(
        first.expect(90).stdout(),
        "the-answer\n",
        "the command's own words are passed on all the same"
    );
    assert!(
        first.stderr().contains("the effect happened, but the ledger could not be told"),
        "{}",
        first.stderr()
    );
    assert!(first.stderr().contains("takes it in"), "{}", first.stderr());
    std::fs::rename(place.path("away.db"), place.path("ledger.db")).unwrap();
    assert_eq!(place.run_with("k", &["--quiet-replay"], script).expect(0).stdout(), "the-answer\n");
    assert_eq!(place.witnessed(), 1);
}

#[test]
fn a_ledger_that_vanishes_before_the_claim_runs_nothing() {
    let place = Place::new();
    place.run("first", "true").expect(0);
    std::fs::write(place.path("ledger.db"), "not a ledger any more, and long enough to be seen as none")
        .unwrap();
    place.run("k", "echo hit >> $WITNESS").expect(69);
    assert_eq!(place.witnessed(), 0);
}
