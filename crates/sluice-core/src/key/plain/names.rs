//! Does a name stand twice in one object?

/// Collects the names of one object in one text, so that an object costs no allocation per member.
#[derive(Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    out_of_order: bool,
}

impl Names {
    pub(super) fn push(&mut self, name: &str) {
        // Maps of most libraries come in order; then each name differs from all before it.
        self.out_of_order |= self.last().is_some_and(|last| last >= name);
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// Returns a name that stands there twice.
    pub(super) fn duplicate(&self) -> Option<&str> {
        if !self.out_of_order {
            return None;
        }
        let mut names: Vec<&str> = (0..self.ends.len()).filter_map(|index| self.get(index)).collect();
        names.sort_unstable();
        names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }

    pub(super) fn last(&self) -> Option<&str> {
        self.get(self.ends.len().checked_sub(1)?)
    }

    fn get(&self, index: usize) -> Option<&str> {
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(index)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duplicate(list: &[&str]) -> Option<String> {
        let mut names = Names::default();
        for name in list {
            names.push(name);
        }
        names.duplicate().map(str::to_owned)
    }

    #[test]
    fn a_name_is_found_twice_wherever_it_stands() {
        assert_eq!(duplicate(&[]), None);
        assert_eq!(duplicate(&["a", "b", "c"]), None);
        assert_eq!(duplicate(&["c", "", "b", "bc"]), None);
        assert_eq!(duplicate(&["a", "a"]).as_deref(), Some("a"));
        assert_eq!(duplicate(&["", "b", ""]).as_deref(), Some(""));
        assert_eq!(duplicate(&["ab", "c", "a", "bc", "c"]).as_deref(), Some("c"));
    }
}
