#!/usr/bin/env bash
# Does a test of sluice-core notice each small change of a rule? Needs cargo-mutants; an hour or two on one core.
# Arguments are the modules to be asked about: `scripts/mutants.sh decide retry`; without any, all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo mutants --version >/dev/null 2>&1; then
    echo "cargo-mutants is missing; install it with: cargo install cargo-mutants --locked" >&2
    exit 1
fi
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=1 PROPTEST_CASES="${PROPTEST_CASES:-32}"
crate=crates/sluice-core
out="${CARGO_TARGET_DIR:-target}/mutants"
failed=0

# Only the tests of the module's own rules are built for each change, since building is what takes the time.
run() {
    local module="$1" files="$2" tests="$3" arguments=(--cargo-arg=--lib) file path
    for file in $files; do arguments+=("--file=$crate/src/$file"); done
    for file in $tests; do
        for path in $(compgen -G "$crate/tests/$file.rs"); do
            arguments+=("--cargo-arg=--test=$(basename "$path" .rs)")
        done
    done
    echo "== $module"
    mkdir -p "$out/$module"
    cargo mutants -p sluice-core -j1 --no-shuffle --timeout 60 --output "$out/$module" "${arguments[@]}" || failed=1
}

set -o noglob
[ $# -gt 0 ] || set -- decide breaker retry downstream state
for module in "$@"; do
    case "$module" in
    decide) files="decide/*.rs" tests="decide_*" ;;
    breaker) files="breaker/*.rs" tests="breaker*" ;;
    retry) files="retry/*.rs" tests="retry_* decide_tries" ;;
    downstream) files="downstream/*.rs" tests="downstream* http" ;;
    state) files="state.rs change.rs" tests="change decide_*" ;;
    *) echo "no module $module: decide, breaker, retry, downstream, state" >&2 && exit 2 ;;
    esac
    run "$module" "$files" "$tests"
done
exit "$failed"
