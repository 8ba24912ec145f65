#!/usr/bin/env bash
# Does a test of sluice-core notice each small change of a rule? Needs cargo-mutants; about an hour on one core.
# Arguments are the modules to be asked about: `scripts/mutants.sh decide retry`; without any, all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo mutants --version >/dev/null 2>&1; then
    echo "cargo-mutants is missing; install it with: cargo install cargo-mutants --locked" >&2
    exit 1
fi
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=1 PROPTEST_CASES="${PROPTEST_CASES:-32}"
src=crates/sluice-core/src
out="${CARGO_TARGET_DIR:-target}/mutants"
failed=0

# Only the tests of the module's own rules are built, which is what takes the time.
run() {
    local module="$1" files="$2" tests="$3" arguments=(--cargo-arg=--lib)
    for file in $files; do arguments+=(--file "$src/$file"); done
    for test in $tests; do arguments+=("--cargo-arg=--test=$test"); done
    echo "== $module"
    mkdir -p "$out/$module"
    cargo mutants -p sluice-core -j1 --no-shuffle --timeout 60 --output "$out/$module" "${arguments[@]}" || failed=1
}

decide="decide_delivery decide_settle decide_target decide_tries decide_verdict decide_ways_on decide_words"
for module in "${@:-all}"; do
    case "$module" in
    all) exec "$0" decide breaker retry downstream state ;;
    decide) run decide "decide/*.rs" "$decide" ;;
    breaker) run breaker "breaker/*.rs" "breaker breaker_bounds" ;;
    retry) run retry "retry/*.rs" "retry_after retry_backoff retry_budget retry_next" ;;
    downstream) run downstream "downstream/*.rs" "downstream downstream_bounds http" ;;
    state) run state "state.rs change.rs" "change $decide" ;;
    *) echo "no module $module: decide, breaker, retry, downstream, state" >&2 && exit 2 ;;
    esac
done
exit "$failed"
