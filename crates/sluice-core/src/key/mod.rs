//! What the caller wants done, and its name.
