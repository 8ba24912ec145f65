//! The invariants by name, and what breaks one.

use std::fmt;

macro_rules! invariants {
    ($($name:ident = $text:literal,)*) => {
        /// What must be true.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Invariant { $(#[doc = $text] $name,)* }

        impl Invariant {
            /// Every invariant, those that no rule exists for yet among them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// It as a sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

invariants! {
    I1 = "an intent lands once at most, exactly once where success was told, and at most one execution could take hold",
    I2 = "no success is told that did not happen",
    I3 = "what nobody knows stays so until somebody knows, and never turns into \"did not happen\" by a later error",
    I4 = "every gate ends within its time",
    I5 = "what follows a decision is done once",
    I6 = "few attempts are made however much fails, and a target in trouble is spared, and no other",
    I7 = "every change has its event, and versions have no holes",
    I8 = "only the legal ways between states are taken",
    I9 = "no namespace ever sees another's",
    I10 = "nothing is stuck when all is quiet",
    I11 = "nothing is sent again past the time in which the target remembers",
}

impl Invariant {
    /// Whether its rule exists and it is checked. The others arrive with their rules.
    pub fn is_checked(self) -> bool {
        !matches!(self, Self::I4 | Self::I5)
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Something that must be true and was not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Which invariant.
    pub invariant: Invariant,
    /// What was seen.
    pub seen: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.invariant, self.seen, self.invariant.sentence())
    }
}
