//! One event for each change, and none without; notices stand beside.

use super::{Bench, Rule, Subject, Verdict, ensure, rule, same};
use crate::sample::{
    claim_id, edit, first_claim, id, id_in, lapse, mark, next_claim, release, success, touch,
};
use sluice_core::change::{LeaseGuard, Unmet};
use sluice_core::ids::Epoch;
use sluice_core::state::Status;
use sluice_core::trail::{EventDraft, EventKind};

pub(super) const RULES: &[Rule] = &[
    rule("every change writes one event, as it was given, in the order of the changes", one_each),
    rule("a change that does two things writes both, with one version", two_at_once),
    rule("a refused change leaves no event behind", none_if_refused),
    rule("an event of every kind comes back with everything it said", every_kind),
    rule("an event happens when its record changes, and never before the one ahead of it", when),
    rule("a notice carries no version and changes nothing", notices),
    rule("a notice about a key without a record is kept and makes none", early_notices),
    rule("the events of a record are its own", own_events),
];

fn one_each(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut drafts = Vec::new();
    let mut write = |change: sluice_core::change::Change| {
        drafts.push(change.event.clone());
        bench.applied(&id("k"), change)
    };
    let claimed = write(first_claim(claim_id()))?;
    let marked = write(mark(&claimed))?;
    let released = write(release(&marked))?;
    let again = write(next_claim(&released, claim_id()))?;
    let lapsed = write(lapse(&again))?;
    write(success(&lapsed, b"1"))?;
    let written: Vec<_> = bench.events(&id("k"))?.into_iter().map(|event| event.draft).collect();
    same("the events", &written, &drafts)
}

fn two_at_once(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let released = bench.released(&id("k"))?;
    let reopened = EventDraft::new(EventKind::Reopened).by("somebody").because("said so");
    let change = next_claim(&released, claim_id()).preceded_by(reopened.clone());
    let claimed = change.event.clone();
    let version = Some(bench.applied(&id("k"), change)?.record.version);
    let events = bench.events(&id("k"))?;
    let written: Vec<_> = events.iter().skip(2).map(|event| (event.draft.clone(), event.version)).collect();
    same("the events", &written, &vec![(reopened, version), (claimed, version)])
}

fn none_if_refused(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    let before = bench.events(&id("k"))?;
    bench.refused(&id("k"), first_claim(claim_id()), Unmet::Record)?;
    bench.refused(&id("k"), lapse(&claimed).when_lease(LeaseGuard::Ended), Unmet::LeaseRuns)?;
    bench.refused(&id("absent"), release(&claimed), Unmet::Record)?;
    same("the events", &bench.events(&id("k"))?, &before)?;
    same("the events of a key without a record", &bench.events(&id("absent"))?, &vec![])
}

fn every_kind(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut found = bench.claim(&id("k"))?;
    for (kind, number) in EventKind::ALL.iter().zip(0..) {
        let mut change = touch(&found);
        change.event = EventDraft::new(*kind);
        if number % 2 == 0 {
            let status = Some(Status::ALL[number % 5]);
            change.event = EventDraft { status, ..change.event }
                .about(Epoch(number as u64 + 1), (number % 4 == 0).then(claim_id))
                .by("somebody")
                .because("\u{0}\u{2028}\"no\\reason\u{1f600}");
        }
        let draft = change.event.clone();
        found = bench.applied(&id("k"), change)?;
        let last = bench.events(&id("k"))?.pop();
        same("the event", &last.map(|event| event.draft), &Some(draft))?;
    }
    Ok(())
}

fn when(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let mut found = bench.claim(&id("k"))?;
    for step_ms in [0, 60_000, -3_600_000, 1] {
        bench.advance(40);
        subject.step_wall(step_ms);
        bench.notice(&id("k"), EventDraft::new(EventKind::Note))?;
        found = bench.applied(&id("k"), touch(&found))?;
        let last = bench.events(&id("k"))?.pop();
        same("when the change happened", &last.map(|event| event.at), &Some(found.record.updated))?;
    }
    let times: Vec<_> = bench.events(&id("k"))?.iter().map(|event| event.at).collect();
    ensure!(times.is_sorted(), "events went back in time: {times:?}");
    Ok(())
}

fn notices(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let claimed = bench.claim(&id("k"))?;
    bench.advance(5_000);
    let before = bench.seen(&id("k"))?;
    let draft = EventDraft::new(EventKind::Note).about(Epoch(1), None).because("halfway");
    bench.notice(&id("k"), draft.clone())?;
    let after = bench.seen(&id("k"))?;
    same("the record", &after.snapshot, &before.snapshot)?;
    let last = after.events.last().map(|event| (event.version, event.draft.clone()));
    same("the notice", &last, &Some((None, draft)))?;
    same("how many events there are", &after.events.len(), &2)?;
    let settled = bench.applied(&id("k"), edit(&claimed, EventKind::Evidence, |_| {}))?;
    let versions: Vec<_> = bench.events(&id("k"))?.into_iter().map(|event| event.version).collect();
    same("the versions", &versions, &vec![Some(claimed.record.version), None, Some(settled.record.version)])
}

fn early_notices(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let draft = EventDraft::new(EventKind::KeyConflict).because("before there was a record");
    bench.notice(&id("k"), draft.clone())?;
    same("the record", &bench.read(&id("k"))?, &None)?;
    bench.claim(&id("k"))?;
    let kinds: Vec<_> = bench.events(&id("k"))?.into_iter().map(|event| event.draft.kind).collect();
    same("the events", &kinds, &vec![EventKind::KeyConflict, EventKind::Claimed])
}

fn own_events(subject: &dyn Subject) -> Verdict {
    let bench = Bench::new(subject);
    let ids = [id("a"), id("b"), id_in("other", "a"), id("A")];
    for id in &ids {
        bench.notice(id, EventDraft::new(EventKind::Note).because(id.to_string()))?;
        let claimed = bench.claim(id)?;
        bench.applied(id, release(&claimed))?;
    }
    for id in &ids {
        let events = bench.events(id)?;
        same("how many events there are", &events.len(), &3)?;
        ensure!(events.iter().all(|event| event.id == *id), "{id} has an event of another record");
        same("the notice", &events[0].draft.reason, &Some(id.to_string()))?;
    }
    Ok(())
}
