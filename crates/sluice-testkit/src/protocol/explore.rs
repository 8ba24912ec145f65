//! Tries everything, breadth first, so that what is found is found by the shortest way.

use super::bounds::Bounds;
use super::check;
use super::plants::Plant;
use super::state::State;
use super::story::Story;
use super::world::World;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Explored {
    /// How many states there are, counted up to the names of processes and claims.
    pub states: usize,
    /// How many ways lead from one to another.
    pub transitions: usize,
    /// How many steps the farthest state is away.
    pub depth: usize,
    /// The shortest way to something that must never be, where there is one; the exploration ends there.
    pub broken: Option<Story>,
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, transitions, depth, broken } = self;
        let end = if broken.is_some() { "broken" } else { "complete" };
        write!(f, "explored {states} states, {transitions} transitions, depth {depth}, {end}")
    }
}

/// A state by its digest: 128 bits, so that two of a hundred million are taken for one with less than one chance in 10²².
type Digest = u128;

fn digest(state: &State) -> Digest {
    let mut bytes = Bytes(Vec::with_capacity(512));
    state.hash(&mut bytes);
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(&bytes.0);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// What a state gives to be hashed, so that it is walked once and not for each half.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// Everything that was seen so far.
#[derive(Default)]
struct Seen {
    number: HashMap<Digest, u32>,
    digests: Vec<Digest>,
    came_from: Vec<u32>,
    depths: Vec<u16>,
    settled: Vec<bool>,
    ways: Vec<(u32, u32)>,
}

impl Seen {
    /// Takes note of a state; its number, and whether it is new.
    fn note(&mut self, state: &State, from: u32) -> (u32, bool) {
        let digest = digest(state);
        let new = u32::try_from(self.digests.len()).expect("fewer than four billion states");
        let number = *self.number.entry(digest).or_insert(new);
        if number == new {
            self.digests.push(digest);
            self.came_from.push(from);
            self.depths.push(self.depths.get(from as usize).map_or(0, |depth| depth + 1));
            self.settled.push(check::is_settled(state));
        }
        (number, number == new)
    }

    /// The digests on the shortest way to a state, from the first one on.
    fn way_to(&self, mut number: u32) -> Vec<Digest> {
        let mut way = vec![];
        while number != 0 {
            way.push(self.digests[number as usize]);
            number = self.came_from[number as usize];
        }
        way.reverse();
        way
    }

    /// The first state from which nothing leads to a settled one.
    fn dead_end(&self) -> Option<u32> {
        let mut back = vec![vec![]; self.digests.len()];
        self.ways.iter().for_each(|(from, to)| back[*to as usize].push(*from));
        let mut alive = self.settled.clone();
        let mut todo: Vec<_> =
            (0..).zip(&alive).filter(|(_, settled)| **settled).map(|(number, _)| number).collect();
        while let Some(number) = todo.pop() {
            for from in std::mem::take(&mut back[number as usize]) {
                if !std::mem::replace(&mut alive[from as usize], true) {
                    todo.push(from);
                }
            }
        }
        (0..).zip(alive).find(|(_, alive)| !alive).map(|(number, _)| number)
    }

    fn explored(&self, broken: Option<Story>) -> Explored {
        let depth = self.depths.iter().copied().max().unwrap_or_default();
        Explored { states: self.digests.len(), transitions: self.ways.len(), depth: depth.into(), broken }
    }
}

/// Tries everything that can happen within these bounds, with one mistake planted or none.
///
/// ```
/// use sluice_testkit::protocol::{Bounds, Plant, explore};
/// let bounds = Bounds { deliveries: 1, ..Bounds::default() };
/// assert!(explore(&bounds, None).broken.is_none());
/// let broken = explore(&bounds, Some(Plant::LapseIgnoresLease)).broken.unwrap();
/// assert!(broken.to_string().contains("a live lease lapsed under a living holder"));
/// ```
pub fn explore(bounds: &Bounds, plant: Option<Plant>) -> Explored {
    let world = World::new(bounds, plant);
    let first = world.begin().canonical(world.forgets_stale());
    let mut seen = Seen::default();
    seen.note(&first, 0);
    let mut todo = VecDeque::from([(0, first)]);
    while let Some((number, state)) = todo.pop_front() {
        for (_, next) in world.nexts(&state) {
            let next = match next {
                Ok(next) => next.canonical(world.forgets_stale()),
                Err(broken) => return seen.explored(Some(tell(&world, &seen.way_to(number), true, broken))),
            };
            let (to, is_new) = seen.note(&next, number);
            seen.ways.push((number, to));
            if !is_new {
                continue;
            }
            if let Err(broken) = check::state(&world, &next) {
                return seen.explored(Some(tell(&world, &seen.way_to(to), false, broken)));
            }
            todo.push_back((to, next));
        }
    }
    let stuck = seen.dead_end().map(|number| {
        tell(&world, &seen.way_to(number), false, "from here no settled state can be reached".to_owned())
    });
    seen.explored(stuck)
}

/// Walks a way again, without renaming anything, so that its story speaks of the same deliveries throughout.
fn tell(world: &World<'_>, way: &[Digest], last: bool, broken: String) -> Story {
    let mut state = world.begin();
    let mut steps = vec![];
    for wanted in way {
        let found = world.nexts(&state).into_iter().find_map(|(moved, next)| {
            let next = next.ok()?;
            (digest(&next.clone().canonical(world.forgets_stale())) == *wanted).then_some((moved, next))
        });
        let Some((moved, next)) = found else { break };
        steps.push(moved.to_string());
        state = next;
    }
    let broken = if last { break_it(world, &state, &mut steps).unwrap_or(broken) } else { broken };
    Story { steps, broken }
}

/// Adds the last step, the one that breaks something, and says what.
fn break_it(world: &World<'_>, state: &State, steps: &mut Vec<String>) -> Option<String> {
    let judge = |next: Result<State, String>| next.and_then(|next| check::state(world, &next)).err();
    let mut nexts = world.nexts(state).into_iter();
    let (moved, broken) = nexts.find_map(|(moved, next)| Some((moved, judge(next)?)))?;
    steps.push(moved.to_string());
    Some(broken)
}
