//! How long a search takes for a file of labelled deliveries: `cargo run --release --example measure -- FILE`.

use sluice_advice::Deliveries;
use sluice_advice::suggest::{Limits, suggest};
use std::io::BufReader;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a file of deliveries")?;
    let began = Instant::now();
    let read = Deliveries::new(BufReader::new(std::fs::File::open(&path)?), None).count();
    println!("{read} deliveries read in {:?}", began.elapsed());
    let began = Instant::now();
    let deliveries = Deliveries::new(BufReader::new(std::fs::File::open(&path)?), None);
    let found = suggest(deliveries, Limits::default())?;
    println!("{} sets in {:?}, cut off: {}", found.sets.len(), began.elapsed(), found.is_cut_off);
    println!("best: {:?}", found.sets.first().map(|set| &set.members));
    Ok(())
}
