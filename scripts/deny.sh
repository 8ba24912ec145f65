#!/usr/bin/env bash
# Licences, sources and bans of every dependency. Advisories need a database from the network and are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.20.2
if ! cargo deny --version 2>/dev/null | grep -q "$version"; then
    cargo install cargo-deny --locked --quiet --version "$version"
fi
cargo fetch --locked --quiet
cargo deny --all-features --locked check bans licenses sources
