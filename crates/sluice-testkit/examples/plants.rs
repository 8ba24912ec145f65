//! Prints which invariant catches which planted bug.
fn main() {
    let seeds = std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(100);
    print!("{}", sluice_testkit::plants::table(seeds));
}
