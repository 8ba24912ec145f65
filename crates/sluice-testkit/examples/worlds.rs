//! Plays seeds of every scenario; for whoever works on the world itself.
use sluice_testkit::scenarios::Scenario;
use sluice_testkit::world::World;
fn main() {
    let mut args = std::env::args().skip(1);
    let seeds: u64 = args.next().and_then(|t| t.parse().ok()).unwrap_or(100);
    let only = args.next();
    let from: u64 = args.next().and_then(|t| t.parse().ok()).unwrap_or(0);
    for scenario in Scenario::ALL.iter().filter(|s| only.as_deref().is_none_or(|o| o == s.as_str())) {
        let begun = std::time::Instant::now();
        let (mut bad, mut shown, mut ex, mut land, mut parked) = (0, 0, 0, 0, 0);
        for seed in from..from + seeds {
            let told = World::new(scenario.plan(seed)).run();
            ex += told.executions;
            land += told.landings;
            parked += told.parked;
            if !told.violations.is_empty() {
                bad += 1;
                if shown < 1 {
                    shown += 1;
                    println!("{told}");
                }
            }
        }
        println!(
            "{:<34} {bad} bad of {seeds}, {ex} executions, {land} landings, {parked} parked, {:?} a world",
            scenario.as_str(),
            begun.elapsed() / u32::try_from(seeds).unwrap()
        );
    }
}
