#!/usr/bin/env bash
# Explores the model of the protocol within larger bounds than the tests do: some minutes on a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
SLUICE_MODEL=large cargo test --release -p sluice-testkit --test protocol -- --nocapture
