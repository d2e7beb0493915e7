//! The largest of many errors.

/// The largest error seen, and where; how many were seen.
#[derive(Default)]
pub struct Worst {
    error: f64,
    place: String,
    seen: usize,
}

impl Worst {
    pub fn see(&mut self, error: f64, place: impl FnOnce() -> String) {
        self.seen += 1;
        if error.abs() > self.error.abs() || error.is_nan() {
            (self.error, self.place) = (error, place());
        }
    }

    /// The error a doc comment states is the error asserted here, over this many cases or more.
    pub fn at_most(&self, what: &str, stated: f64, cases: usize) {
        let Self { error, place, seen } = self;
        println!("{what}: {error:e} at {place}, the worst of {seen}");
        assert!(error.abs() <= stated, "{what}: {error:e} at {place}");
        assert!(*seen >= cases, "{what}: only {seen} cases of at least {cases}");
    }
}
