//! The rules of sluice, and nothing else: no runtime, no files, no clock, no randomness.

pub mod key;
