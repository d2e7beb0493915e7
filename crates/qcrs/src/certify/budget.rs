//! How many draws certify, how sure, and what is asked of them?

use crate::method::AnyMethod;
use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};

/// How many draws certify, how sure the certificate is, and what it is about. A budget that cannot certify
/// cannot be constructed, nor read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenBudget", into = "WrittenBudget")]
pub struct Budget {
    n0: u32,
    n: u32,
    alpha: Alpha,
    bound: Bound,
    at_radius: Option<f64>,
}

/// A budget as files have it.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct WrittenBudget {
    n0: u32,
    n: u32,
    alpha: Alpha,
    #[serde(skip_serializing_if = "Bound::is_one_sided", default)]
    bound: Bound,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at_radius: Option<f64>,
}

impl TryFrom<WrittenBudget> for Budget {
    type Error = Error;

    fn try_from(written: WrittenBudget) -> Result<Self, Error> {
        let WrittenBudget { n0, n, alpha, bound, at_radius } = written;
        let budget = Self::new(n0, n, alpha)?.with_bound(bound)?;
        at_radius.map_or(Ok(budget), |radius| budget.asking_about(radius))
    }
}

impl From<Budget> for WrittenBudget {
    fn from(budget: Budget) -> Self {
        let Budget { n0, n, alpha, bound, at_radius } = budget;
        Self { n0, n, alpha, bound, at_radius }
    }
}

/// Which probabilities are bounded, where the search does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The probability of the class, as published.
    #[default]
    OneSided,
    /// The probabilities of the class and of the others, separately.
    TwoSided,
    /// Whichever promises more for this input, by the draws that chose σ and the class.
    Auto,
}

impl Bound {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
    fn is_one_sided(&self) -> bool {
        *self == Self::OneSided
    }
}

impl Default for Budget {
    /// What the field uses: 100 draws guess the class, 100,000 certify it at α = 0.001.
    fn default() -> Self {
        Self { n0: 100, n: 100_000, alpha: Alpha::USUAL, bound: Bound::OneSided, at_radius: None }
    }
}

impl Budget {
    /// `n0` draws guess the class, `n` bound it from below at `alpha`, as published; at least one each.
    pub fn new(n0: u32, n: u32, alpha: Alpha) -> Result<Self, Error> {
        if let Some((name, _)) = [("n0", n0), ("n", n)].into_iter().find(|(_, draws)| *draws == 0) {
            return Err(Error::setting(name, "must be at least 1, got 0"));
        }
        Ok(Self { n0, n, alpha, bound: Bound::OneSided, at_radius: None })
    }

    /// The same with another bound, where the search does not say which.
    pub fn with_bound(self, bound: Bound) -> Result<Self, Error> {
        Self { bound, ..self }.together()
    }

    /// The same, but it asks only whether the radius is at least `radius`, with as few of the n draws as that
    /// takes.
    pub fn asking_about(self, radius: f64) -> Result<Self, Error> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::setting("at_radius", format!("must be positive, got {radius}")));
        }
        Self { at_radius: Some(radius), ..self }.together()
    }

    fn together(self) -> Result<Self, Error> {
        if self.at_radius.is_some() && self.bound != Bound::OneSided {
            let problem = "a question about one radius is answered by the one-sided bound; leave this out";
            return Err(Error::setting("bound", problem));
        }
        Ok(self)
    }

    /// Refuses a method that cannot answer the question with these numbers, about all classes or about one.
    pub fn suits(&self, method: &AnyMethod, one_class: Option<usize>) -> Result<(), Error> {
        let facts = method.facts();
        let asked = |setting: &str| match setting {
            "bound" => self.bound != Bound::OneSided,
            "at_radius" => self.at_radius.is_some(),
            "one_class" => one_class.is_some(),
            _ => false,
        };
        if let Some((name, why)) = facts.refuses.iter().find(|(name, _)| asked(name)) {
            return Err(Error::setting(name, *why));
        }
        let (n, least, name) = (self.n, facts.least_n, method.name());
        if n < least {
            return Err(Error::setting("n", format!("{name} needs at least {least} draws, got {n}")));
        }
        // draws are numbered with 32 bits, separately for the search and for the certificates
        let certified = u64::from(facts.certificates) * u64::from(n);
        let (name, draws) =
            if certified > facts.search { ("n", certified) } else { ("gradient_n", facts.search) };
        if draws > u64::from(u32::MAX) {
            let problem =
                format!("{draws} draws of one input are too many; take fewer, or search fewer points");
            return Err(Error::setting(name, problem));
        }
        Ok(())
    }

    /// Draws to guess the top class; at least one.
    pub fn n0(&self) -> u32 {
        self.n0
    }

    /// Draws to bound its probability; at least one.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// The probability with which a certificate may be wrong.
    pub fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// What is bounded.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// The radius that is asked about, where it is not the largest: positive and finite.
    pub fn at_radius(&self) -> Option<f64> {
        self.at_radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Cohen, Ddrs, Dsrs, Grid, Winner};
    use crate::types::Sigma;

    #[test]
    fn what_cannot_be_certified_cannot_be_constructed() {
        let alpha = Alpha::new(0.001).unwrap();
        assert!(Budget::new(0, 100, alpha).is_err() && Budget::new(100, 0, alpha).is_err());
        let budget = Budget::new(100, 1000, alpha).unwrap();
        for radius in [-1.0, 0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(budget.asking_about(radius).is_err(), "{radius}");
        }
        let asked = budget.asking_about(0.5).unwrap();
        assert!(asked.with_bound(Bound::TwoSided).is_err());
        assert!(budget.with_bound(Bound::Auto).unwrap().asking_about(0.5).is_err());
    }

    #[test]
    fn files_hold_no_budget_that_cannot_be_certified() {
        let read = |text: &str| serde_json::from_str::<Budget>(text);
        let whole = r#"{"n0":100,"n":1000,"alpha":0.001,"at_radius":0.5}"#;
        assert_eq!(serde_json::to_string(&read(whole).unwrap()).unwrap(), whole);
        for text in [
            r#"{"n0":100,"n":0,"alpha":0.001}"#,
            r#"{"n0":100,"n":1000,"alpha":1.5}"#,
            r#"{"n0":100,"n":1000,"alpha":0.001,"at_radius":-1.0}"#,
            r#"{"n0":100,"n":1000,"alpha":0.001,"at_radius":0.5,"bound":"two-sided"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_name_every_bound_but_the_published_one() {
        let budget = Budget::new(100, 1000, Alpha::new(0.001).unwrap()).unwrap();
        for (bound, text) in [
            (Bound::OneSided, r#"{"n0":100,"n":1000,"alpha":0.001}"#),
            (Bound::TwoSided, r#"{"n0":100,"n":1000,"alpha":0.001,"bound":"two-sided"}"#),
            (Bound::Auto, r#"{"n0":100,"n":1000,"alpha":0.001,"bound":"auto"}"#),
        ] {
            let budget = budget.with_bound(bound).unwrap();
            assert_eq!(serde_json::to_string(&budget).unwrap(), text);
            assert_eq!(serde_json::from_str::<Budget>(text).unwrap(), budget);
        }
    }

    fn sigma() -> Sigma {
        Sigma::new(0.5).unwrap()
    }

    /// The name of the setting that does not suit the method.
    fn refused(budget: &Budget, method: &AnyMethod, one_class: Option<usize>) -> Option<String> {
        let error = budget.suits(method, one_class).err()?.to_string();
        Some(error.split(':').next().unwrap().to_owned())
    }

    #[test]
    fn a_method_is_not_asked_what_it_cannot_answer() {
        let usual = Budget::default();
        let two_sided = usual.with_bound(Bound::TwoSided).unwrap();
        let asking = usual.asking_about(0.5).unwrap();
        let cohen = AnyMethod::Cohen(Cohen { sigma: sigma() });
        let ascent = AnyMethod::Ddrs(Ddrs::published(sigma(), [sigma(); 2]));
        let dsrs = AnyMethod::Dsrs(Dsrs::published(sigma(), 64).unwrap());
        for (budget, one_class, expected) in [
            (usual, None, [None, None, None]),
            (two_sided, None, [None, None, Some("bound")]),
            (asking, None, [None, None, Some("at_radius")]),
            (usual, Some(3), [None, Some("one_class"), None]),
        ] {
            let found = [&cohen, &ascent, &dsrs].map(|method| refused(&budget, method, one_class));
            assert_eq!(found, expected.map(|name| name.map(str::to_owned)), "{budget:?} {one_class:?}");
        }
    }

    #[test]
    fn a_method_gets_no_fewer_draws_than_it_needs_and_no_more_than_can_be_numbered() {
        let cohen = AnyMethod::Cohen(Cohen { sigma: sigma() });
        let dsrs = AnyMethod::Dsrs(Dsrs::published(sigma(), 64).unwrap());
        let grid = |points, winner| {
            AnyMethod::Grid(Grid { sigma: sigma(), low: sigma(), high: sigma(), points, winner })
        };
        let fifth = u32::MAX / 5; // 2³² − 1 is a multiple of 5
        for (method, n, expected) in [
            (&cohen, 1, None),
            (&cohen, u32::MAX, None),
            (&dsrs, 1, Some("n")),
            (&dsrs, 2, None),
            (&grid(5, Winner::MaxOfCertificates), fifth, None),
            (&grid(5, Winner::MaxOfCertificates), fifth + 1, Some("n")),
            (&grid(4, Winner::Fresh { draws: fifth }), 1000, None),
            (&grid(4, Winner::Fresh { draws: fifth + 1 }), 1000, Some("gradient_n")),
        ] {
            let budget = Budget::new(100, n, Alpha::USUAL).unwrap();
            assert_eq!(refused(&budget, method, None).as_deref(), expected, "{method:?} {n}");
        }
    }
}
