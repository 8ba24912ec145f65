#!/usr/bin/env bash
# How much of the rules random worlds alone reach. Needs the toolchain's llvm-tools; some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}/coverage"
rustup component add llvm-tools 2>/dev/null || true
tools="$(dirname "$(find "$(rustc --print sysroot)" -name llvm-profdata | head -1)")"
export LLVM_PROFILE_FILE="$target/world-%p-%m.profraw"
mkdir -p "$target"
rm -f "$target"/world-*.profraw
RUSTFLAGS="-C instrument-coverage" CARGO_TARGET_DIR="$target" cargo build --release --quiet -p sluice-effects-cli
sluice="$target/release/sluice"
"$sluice" chaos --seeds "${SLUICE_SEEDS:-20000}" --json >/dev/null
for scenario in $("$sluice" chaos --list | awk '{print $1}'); do
    "$sluice" chaos --scenario "$scenario" --seeds 300 --json >/dev/null
done
"$tools/llvm-profdata" merge -sparse "$target"/world-*.profraw -o "$target/worlds.profdata"
"$tools/llvm-cov" report "$sluice" -instr-profile="$target/worlds.profdata" 2>/dev/null |
    awk '/sluice-core\/src\/(state|change|decide)/ { print $1, $2, $3, $4; all += $2; missed += $3 }
         END { printf "regions %d, missed %d: %.1f %%\n", all, missed, 100 * (all - missed) / all }'
