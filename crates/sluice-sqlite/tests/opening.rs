//! What may be opened, what is made, and what is left alone.

mod common;

use common::*;
use sluice_core::retention;
use sluice_core::store::{Query, Store, StoreErrorKind as Kind, Swept, Upkeep};
use sluice_sqlite::{Entropy, Options, SqliteStore};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU8, Ordering};

fn refused(path: &Path) -> Kind {
    refused_in_words(path).0
}

fn refused_in_words(path: &Path) -> (Kind, String) {
    match wait(SqliteStore::open(path)) {
        Ok(store) => panic!("{} was opened", store.path().display()),
        Err(error) => (error.kind, error.to_string()),
    }
}

fn make(place: &Place) {
    drop(place.open());
}

#[test]
fn a_new_ledger_is_readable_for_its_owner_only() {
    let place = Place::new();
    let store = place.open();
    claim(&store, "k");
    let files: Vec<_> = fs::read_dir(place.folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 1, "the log is there too");
    for file in files {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
}

#[test]
fn reopening_keeps_the_name_the_secrets_and_the_records() {
    let place = Place::new();
    let store = place.open();
    let (ledger, claimed) = (store.ledger().clone(), claim(&store, "k"));
    drop(store);
    let store = wait(SqliteStore::open_existing(&place.path)).unwrap();
    let again = store.ledger();
    assert_eq!(again.id, ledger.id);
    assert_eq!(again.incarnation, 1);
    assert_eq!(again.fingerprint_secrets[0].bytes, ledger.fingerprint_secrets[0].bytes);
    assert_eq!(again.fingerprint_secrets[0].id, ledger.fingerprint_secrets[0].id);
    assert_eq!(again.downstream_secret.bytes, ledger.downstream_secret.bytes);
    assert_eq!(read(&store, "k").unwrap().record, claimed.record);
}

#[test]
fn secrets_come_from_the_entropy_that_was_given_and_no_two_are_the_same() {
    let place = Place::new();
    let drawn = AtomicU8::new(1);
    let entropy = Entropy::from_fn(move || [drawn.fetch_add(1, Ordering::Relaxed); 32]);
    let store = open(&place.path, Options { entropy, ..Options::default() });
    let ledger = store.ledger();
    assert_eq!(ledger.id, "01".repeat(16));
    assert_eq!(ledger.fingerprint_secrets[0].bytes, [2; 32]);
    assert_eq!(ledger.downstream_secret.bytes, [3; 32]);
    assert_ne!(ledger.downstream_secret.id, ledger.fingerprint_secrets[0].id);
}

#[test]
fn sixty_four_starters_of_one_fresh_path_all_get_the_same_ledger() {
    let place = Place::new();
    let start = Barrier::new(64);
    let ids: Vec<_> = std::thread::scope(|scope| {
        let starter = |number: usize| {
            let (place, start) = (&place, &start);
            scope.spawn(move || {
                start.wait();
                let store = place.open();
                claim(&store, &format!("k{number}"));
                store.ledger().id.clone()
            })
        };
        let starters: Vec<_> = (0..64).map(starter).collect();
        starters.into_iter().map(|starter| starter.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]));
    let query = Query { limit: 100, ..Query::default() };
    assert_eq!(wait(place.open().list(query)).unwrap().items.len(), 64);
}

#[test]
fn a_missing_folder_is_never_made() {
    let place = Place::new();
    let path = place.folder.path().join("not mounted/ledger.db");
    let (kind, sentence) = refused_in_words(&path);
    assert_eq!(kind, Kind::Missing);
    assert!(sentence.contains("there is no folder") && sentence.contains("not mounted"), "{sentence}");
    assert!(!path.parent().unwrap().exists());
}

#[test]
fn opening_an_existing_ledger_never_makes_one() {
    let place = Place::new();
    let missing = wait(SqliteStore::open_existing(&place.path)).unwrap_err();
    assert_eq!(missing.kind, Kind::Missing);
    assert!(!place.path.exists());
    fs::write(&place.path, "").unwrap();
    assert_eq!(wait(SqliteStore::open_existing(&place.path)).unwrap_err().kind, Kind::Missing);
    assert_eq!(fs::metadata(&place.path).unwrap().len(), 0);
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let place = Place::new();
    place.raw().execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").unwrap();
    let before = fs::read(&place.path).unwrap();
    let (kind, sentence) = refused_in_words(&place.path);
    assert_eq!(kind, Kind::Corrupt);
    assert!(sentence.contains("not a sluice ledger"), "{sentence}");
    assert_eq!(fs::read(&place.path).unwrap(), before);
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    for garbage in [&b"x"[..], b"not a database at all", &[0; 4096], &[0xff; 10_000], b"SQLite format 3\0"] {
        let place = Place::new();
        fs::write(&place.path, garbage).unwrap();
        assert_eq!(refused(&place.path), Kind::Corrupt, "{} bytes", garbage.len());
        assert_eq!(fs::read(&place.path).unwrap(), garbage);
    }
}

#[test]
fn a_ledger_of_a_newer_format_is_refused_in_words_that_name_both_and_left_alone() {
    let place = Place::new();
    make(&place);
    place.raw().pragma_update(None, "user_version", 7).unwrap();
    let before = fs::read(&place.path).unwrap();
    let (kind, sentence) = refused_in_words(&place.path);
    assert_eq!(kind, Kind::Newer);
    assert!(sentence.contains("format 7") && sentence.contains("up to 3"), "{sentence}");
    assert_eq!(fs::read(&place.path).unwrap(), before);
}

/// What the second and the third migration added, taken away again.
const AS_BEFORE_RETENTION: &str = "
    DROP TABLE circuits;
    DROP INDEX records_due; DROP INDEX records_double; DROP INDEX events_conflicts; DROP INDEX events_of_ledger;
    ALTER TABLE records DROP COLUMN keep_result_ms; ALTER TABLE records DROP COLUMN remember_ms;
    ALTER TABLE meta DROP COLUMN retention_since;
    UPDATE records SET record_expires = NULL, result_expires = NULL, repeatable = NULL;
    UPDATE meta SET schema = 1; DELETE FROM migrations WHERE number >= 2; PRAGMA user_version = 1;";

#[test]
fn a_ledger_of_the_first_format_is_brought_to_the_newest_and_forgets_in_its_time() {
    let (place, clock) = (Place::new(), FakeClock::new());
    let store = open(&place.path, clock.options());
    let claimed = claim(&store, "done");
    applied(wait(store.apply(id("done"), success(&claimed, b"1"))));
    claim(&store, "running");
    let before = read(&store, "done");
    drop(store);
    place.raw().execute_batch(AS_BEFORE_RETENTION).unwrap();
    let store = open(&place.path, clock.options());
    assert_eq!(read(&store, "done"), before);
    clock.pass(retention::KEEP_RESULT);
    assert_eq!(wait(store.sweep(10)).unwrap(), Swept { results: 1, ..Swept::default() });
    clock.pass(retention::REMEMBER);
    assert_eq!(wait(store.sweep(10)).unwrap(), Swept { records: 1, ..Swept::default() });
    assert!(read(&store, "done").is_none() && read(&store, "running").is_some());
}

#[test]
fn a_ledger_that_was_cut_short_is_damaged_and_never_begun_anew() {
    let place = Place::new();
    let store = place.open();
    for number in 0..200 {
        claim(&store, &format!("k{number}"));
    }
    drop(store);
    let whole = fs::read(&place.path).unwrap();
    for length in [1, 50, 100, 1000, 4096, 8192, whole.len() / 2, whole.len() - 1] {
        let cut = &whole[..length];
        fs::write(&place.path, cut).unwrap();
        let error = wait(SqliteStore::open(&place.path))
            .and_then(|store| wait(store.list(Query { limit: 1000, ..Query::default() })).map(drop));
        assert_eq!(error.map_err(|error| error.kind), Err(Kind::Corrupt), "cut to {length} bytes");
        assert_eq!(fs::read(&place.path).unwrap(), cut, "cut to {length} bytes");
    }
}

#[test]
fn a_log_without_its_ledger_is_kept_as_what_may_be_left_of_it() {
    let place = Place::new();
    let store = place.open();
    claim(&store, "k");
    let log = place.folder.path().join("ledger.db-wal");
    let copy = fs::read(&log).unwrap();
    drop(store);
    fs::write(&log, &copy).unwrap();
    fs::remove_file(&place.path).unwrap();
    assert_eq!(refused(&place.path), Kind::Corrupt, "the file is gone");
    fs::write(&place.path, "").unwrap();
    assert_eq!(refused(&place.path), Kind::Corrupt, "the file is empty");
    assert_eq!(fs::read(&log).unwrap(), copy);
}

#[test]
fn a_ledger_made_by_other_statements_is_refused() {
    let place = Place::new();
    make(&place);
    place.raw().execute("UPDATE migrations SET sha256 = 'x'", []).unwrap();
    assert_eq!(refused(&place.path), Kind::Corrupt);
}

#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let place = Place::new();
    fs::create_dir(&place.path).unwrap();
    assert_eq!(refused(&place.path), Kind::Unsuitable);
}

#[test]
fn a_ledger_that_is_moved_away_is_no_longer_written() {
    let place = Place::new();
    let store = place.open();
    claim(&store, "k");
    fs::rename(&place.path, place.folder.path().join("elsewhere.db")).unwrap();
    let error = wait(store.apply(id("lost"), first_claim(claim_id()))).unwrap_err();
    assert_eq!((error.kind, error.outcome_unknown), (Kind::Unavailable, false));
}

#[test]
fn a_volatile_file_system_is_warned_about() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return println!("not run: no /dev/shm");
    };
    let store = open(&folder.path().join("ledger.db"), Options::default());
    assert!(store.warnings()[0].contains("tmpfs"), "{:?}", store.warnings());
}

/// Not a test of its own: what the test below runs as a user who is not root.
#[test]
fn as_nobody() {
    let Some(path) = std::env::var_os("SLUICE_TEST_AS_NOBODY") else {
        return;
    };
    let kind = wait(SqliteStore::open(&path)).map_or_else(|error| error.kind, |_| Kind::Other);
    assert_eq!(kind, Kind::NoPermission);
}

fn opens_as_nobody(path: &Path) -> bool {
    let this = std::env::current_exe().unwrap();
    // The build's folder may not be open to others.
    let copy = tempfile::tempdir().unwrap();
    fs::set_permissions(copy.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = copy.path().join("as-nobody");
    fs::copy(this, &program).unwrap();
    let status = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["--exact", "as_nobody"])
        .env("SLUICE_TEST_AS_NOBODY", path)
        .output()
        .unwrap()
        .status;
    status.success()
}

#[test]
fn a_ledger_that_may_not_be_written_is_refused_for_that_reason() {
    if !rustix::process::geteuid().is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return println!("not run: needs root and setpriv");
    }
    let place = Place::new();
    make(&place);
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(place.folder.path(), 0o777);
    mode(&place.path, 0o444);
    assert!(opens_as_nobody(&place.path), "a file that is only readable");
    mode(&place.path, 0o666);
    mode(place.folder.path(), 0o755);
    assert!(opens_as_nobody(&place.path), "a folder that is only readable");
    assert!(opens_as_nobody(&place.folder.path().join("new.db")), "a new file in it");
    mode(place.folder.path(), 0o700);
    assert!(opens_as_nobody(&place.path), "a folder that may not be entered");
}
