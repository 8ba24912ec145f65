#!/usr/bin/env bash
# The long runs: 300 kills at random moments on a release build, and an orphan that acts after 20 seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
SLUICE_KILLS="${SLUICE_KILLS:-300}" SLUICE_SEED="${SLUICE_SEED:-1}" SLUICE_ORPHAN="${SLUICE_ORPHAN:-20}" \
    cargo test --release -p sluice-effects-cli --test kills -- --nocapture
