#!/usr/bin/env bash
# The long runs on a release build: 1,000 kills at random moments of one process and 1,000 among many on one ledger, with
# stops past the lease and a disk that is full now and then; and an orphan that acts after 20 seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
SLUICE_KILLS="${SLUICE_KILLS:-1000}" SLUICE_SEED="${SLUICE_SEED:-1}" SLUICE_ORPHAN="${SLUICE_ORPHAN:-20}" \
    cargo test --release -p sluice-effects-cli --test kills --test torture -- --nocapture
