//! The budget of a node: its probability of lying on the theoretical principal variation, over the threshold below which
//! the search stops (thesis 5.3). The root's budget grows fourfold with each iteration; a child gets a fraction of its
//! parent's; a node whose budget is below one is left to quiescence.

/// Probability over threshold, at least 0: roughly the number of nodes that the search may visit below a node.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Budget(f32);

/// The most iterations: the budget of the last, 4^30, still has its own depth.
pub const MAX_ITERATIONS: u32 = 31;

/// The fraction of a budget that is `plies` less deep: 4^-plies.
pub const fn plies(plies: u32) -> f32 {
    1.0 / (1_u64 << (2 * plies)) as f32
}

/// The fraction of a budget that is one ply less deep.
pub const PLY: f32 = plies(1);

impl Budget {
    /// The least budget that is not left to quiescence.
    pub const ONE: Self = Self(1.0);

    /// A budget, at least 0.
    pub const fn new(budget: f32) -> Self {
        Self(budget)
    }

    /// The root's budget in an iteration counted from 1: 4^(iteration - 1).
    pub fn of_iteration(iteration: u32) -> Self {
        debug_assert!((1..=MAX_ITERATIONS).contains(&iteration));
        Self((1_u64 << (2 * (iteration - 1))) as f32)
    }

    /// A fraction, in [0, 1], of this budget.
    #[inline]
    pub fn fraction(self, fraction: f32) -> Self {
        debug_assert!((0.0..=1.0).contains(&fraction), "fraction {fraction}");
        Self(self.0 * fraction)
    }

    /// Is it too little for more than quiescence?
    #[inline]
    pub fn is_spent(self) -> bool {
        self.0 < 1.0
    }

    /// The depth equivalent: log4 of the budget, in eighths, and 1/8 more; at least 1/8 for a budget that is not spent.
    #[inline]
    pub fn depth_equivalent(self) -> f32 {
        f32::from(self.depth()) / 8.0
    }

    /// The quantized logarithm, for the table: 0 when spent, then from 1 in four steps per doubling, eight per ply.
    #[inline]
    pub fn depth(self) -> u8 {
        if self.is_spent() {
            return 0;
        }
        // The exponent and the two highest bits of the mantissa of an f32 are a logarithm in quarter steps.
        const STEP_BITS: u32 = 21;
        const ONE: u32 = 1.0_f32.to_bits() >> STEP_BITS;
        ((self.0.to_bits() >> STEP_BITS) - ONE + 1).min(u32::from(u8::MAX)) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_is_a_fourfold_budget() {
        for iteration in 1..=MAX_ITERATIONS {
            assert_eq!(Budget::of_iteration(iteration).depth_equivalent(), (iteration - 1) as f32 + 0.125);
        }
    }

    #[test]
    fn drafts_grow_four_steps_a_doubling_and_never_overflow() {
        assert_eq!(Budget::ONE.fraction(0.99).depth(), 0);
        assert_eq!(Budget::ONE.depth(), 1);
        for iteration in 1..=MAX_ITERATIONS {
            assert_eq!(u32::from(Budget::of_iteration(iteration).depth()), 8 * (iteration - 1) + 1);
        }
        let mut last = 0;
        for step in 0..10_000 {
            let depth = Budget::of_iteration(8).fraction(step as f32 / 10_000.0).depth();
            assert!(depth >= last);
            last = depth;
        }
    }

    #[test]
    fn a_draft_is_the_exponent_and_two_bits_of_the_mantissa() {
        for (budget, depth) in [
            (0.999, 0),
            (1.0, 1),
            (1.249, 1),
            (1.25, 2),
            (1.5, 3),
            (1.75, 4),
            (2.0, 5),
            (2.5, 6),
            (16.0, 17),
            (1e30, 255),
        ] {
            let budget = Budget::new(budget);
            let found = (budget.depth(), budget.depth_equivalent(), budget.is_spent());
            assert_eq!(found, (depth, f32::from(depth) / 8.0, depth == 0), "{budget:?}");
        }
        assert_eq!([0, 1, 2, 3].map(plies), [1.0, 0.25, 0.0625, 0.015_625]);
        assert_eq!([1, 2, 4].map(Budget::of_iteration), [1.0, 4.0, 64.0].map(Budget::new));
        assert_eq!(Budget::new(8.0).fraction(0.25), Budget::new(2.0));
    }
}
