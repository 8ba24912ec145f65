//! What the sequences are made of: operations, a world that carries them out, and checks beside the rules.

pub mod checks;
pub mod ops;
pub mod world;
