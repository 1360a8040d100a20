//! A list that is written from its beginning, in memory that has room for the longest.

/// A list that grows in a place made for the longest that any position needs.
pub(crate) struct List<'a, T> {
    rest: &'a mut [T],
}

impl<'a, T> List<'a, T> {
    /// A list that is empty yet.
    #[inline(always)]
    pub(crate) fn new(rest: &'a mut [T]) -> Self {
        Self { rest }
    }

    /// The number of items for which there is room.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.rest.len()
    }

    /// Adds some.
    #[inline(always)]
    pub(crate) fn add<const N: usize>(&mut self, items: [T; N]) {
        let room = std::mem::take(&mut self.rest).split_first_chunk_mut();
        debug_assert!(room.is_some(), "a position needs no longer list");
        if let Some((place, rest)) = room {
            *place = items;
            self.rest = rest;
        }
    }
}

impl<'a> List<'a, u16> {
    /// The next places, to be written.
    #[inline(always)]
    pub(crate) fn take(&mut self, places: usize) -> &'a mut [u16] {
        let rest = std::mem::take(&mut self.rest);
        debug_assert!(places <= rest.len(), "a position needs no longer list");
        let (places, rest) = rest.split_at_mut(places.min(rest.len()));
        self.rest = rest;
        places
    }

    /// Adds rows.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(&mut self, rows: [usize; N]) {
        let mut numbers = [0; N];
        for (number, row) in numbers.iter_mut().zip(rows) {
            *number = row as u16;
        }
        self.add(numbers);
    }
}
