//! The direction of a value when an input grows, and how directions combine.

/// The direction of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// It stays.
    Constant,
    /// It never falls.
    Increasing,
    /// It never rises.
    Decreasing,
    Unknown,
}

impl Direction {
    /// The direction of a value that follows both.
    pub(in crate::authoring::analysis) fn and(self, other: Direction) -> Direction {
        match (self, other) {
            (Direction::Constant, direction) | (direction, Direction::Constant) => direction,
            (left, right) if left == right => left,
            _ => Direction::Unknown,
        }
    }

    pub(in crate::authoring::analysis) fn flipped(self) -> Direction {
        match self {
            Direction::Increasing => Direction::Decreasing,
            Direction::Decreasing => Direction::Increasing,
            direction => direction,
        }
    }

    /// The direction of a product with a factor of this sign.
    pub(in crate::authoring::analysis) fn times(self, sign: Sign) -> Direction {
        match sign {
            Sign::NotNegative => self,
            Sign::NotPositive => self.flipped(),
            Sign::Either => self.and(self.flipped()),
        }
    }

    /// The direction of a step function with direction `step` over this value.
    pub(in crate::authoring::analysis) fn through(self, step: Direction) -> Direction {
        match (self, step) {
            (Direction::Constant, _) | (_, Direction::Constant) => Direction::Constant,
            (Direction::Unknown, _) | (_, Direction::Unknown) => Direction::Unknown,
            (Direction::Increasing, step) => step,
            (Direction::Decreasing, step) => step.flipped(),
        }
    }
}

/// The sign of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::authoring::analysis) enum Sign {
    NotNegative,
    NotPositive,
    Either,
}
