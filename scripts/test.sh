#!/usr/bin/env bash
# Every test, from a fresh checkout. Installs what it needs that cargo does not bring.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v cc >/dev/null 2>&1; then
    apt-get update -qq && apt-get install -y -qq gcc libc6-dev
fi
cargo test --workspace --all-features "$@"
