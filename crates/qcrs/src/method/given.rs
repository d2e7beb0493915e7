//! What was asked of a method, by the names of its settings?

use super::{AnyMethod, Qcrs};
use crate::types::{Error, Sigma};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that people are told about a method, and how it is made from their settings. The command line,
/// files, Python and reports all read this.
pub struct Descriptor {
    /// Its name, as files and the command line have it.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Its settings besides [`COMMON`], in the order in which they are listed.
    pub settings: &'static [Setting],
    /// Makes the method; settings that are not given have their defaults. They still have to be checked.
    pub(super) read: fn(&Given<'_>) -> Result<AnyMethod, Error>,
}

impl Descriptor {
    /// The method that was asked for; its settings still have to be checked.
    pub(crate) fn read(&self, given: &Given<'_>) -> Result<AnyMethod, Error> {
        (self.read)(given)
    }
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name, as a field or a keyword would be written; the command line writes `gradient_n` as
    /// `--gradient-n`.
    pub name: &'static str,
    /// What a value looks like: a word for a number, or all words that can be given, as in
    /// `common|independent`.
    pub value: &'static str,
    /// What it does, with its unit.
    pub about: &'static str,
    /// What holds if it is not given.
    pub default: &'static str,
}

/// The settings of every method.
pub const COMMON: [Setting; 2] = [
    Setting {
        name: "sigma",
        value: "SIGMA",
        about: "the noise the model was trained with, in units of a pixel range [0, 1]",
        default: "the preset's",
    },
    Setting {
        name: "preset",
        value: "NAME",
        about: "published settings by name, such as cifar10-0.50 or cifar10-0.50-appendix",
        default: "none",
    },
];

/// The left end of the σ that a search may choose.
pub(super) const LEFT: Setting = Setting {
    name: "left",
    value: "SIGMA",
    about: "the smallest sigma searched",
    default: "the preset's, else 0.24 sigma",
};

/// The right end of the σ that a search may choose.
pub(super) const RIGHT: Setting = Setting {
    name: "right",
    value: "SIGMA",
    about: "the largest sigma searched",
    default: "the preset's, else 3.4 sigma",
};

/// The draws of one look.
pub(super) const GRADIENT_N: Setting =
    Setting { name: "gradient_n", value: "N", about: "draws per look of the search", default: "500" };

/// The values that were given, by the names of their settings, and the size of the inputs.
pub struct Given<'a> {
    pub(crate) values: &'a BTreeMap<String, Value>,
    /// How many values an input has, where that is known already.
    pub(crate) dim: Option<usize>,
}

impl Given<'_> {
    /// Whether `name` was given.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A number.
    pub fn number(&self, name: &'static str) -> Result<Option<f64>, Error> {
        let Some(value) = self.values.get(name) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number
            .map(Some)
            .ok_or_else(|| Error::setting(name, format!("must be a number, got {}", shown(value))))
    }

    /// A whole number, also as people write large ones: 100000, 1e5, 100,000 or `100_000`.
    pub fn count(&self, name: &'static str) -> Result<Option<u32>, Error> {
        let Some(count) = self.large_count(name)? else { return Ok(None) };
        let most = u32::MAX;
        let problem = || format!("must be at most {most}, got {count}");
        u32::try_from(count).map(Some).map_err(|_| Error::setting(name, problem()))
    }

    /// The same without an upper end.
    pub fn large_count(&self, name: &'static str) -> Result<Option<u64>, Error> {
        let Some(value) = self.values.get(name) else { return Ok(None) };
        let count = match value {
            Value::Number(number) => number.as_u64().map_or_else(|| parse_count(&number.to_string()), Ok),
            other => parse_count(&shown(other)),
        };
        count.map(Some).map_err(|problem| Error::setting(name, problem))
    }

    /// A noise level.
    pub fn sigma(&self, name: &'static str) -> Result<Option<Sigma>, Error> {
        let level = |value| Sigma::new(value).map_err(|error| Error::setting(name, error.to_string()));
        self.number(name)?.map(level).transpose()
    }

    /// A list of noise levels, also as text with commas.
    pub fn sigmas(&self, name: &'static str) -> Result<Option<Vec<Sigma>>, Error> {
        let Some(value) = self.values.get(name) else { return Ok(None) };
        let parts = match value {
            Value::Array(parts) => parts.clone(),
            Value::String(text) => text.split(',').map(Value::from).collect(),
            one => vec![one.clone()],
        };
        let level = |part: Value| {
            let values = BTreeMap::from([(name.to_owned(), part)]);
            let level = Given { values: &values, dim: self.dim }.sigma(name)?;
            level.ok_or_else(|| Error::setting(name, "a level is missing"))
        };
        parts.into_iter().map(level).collect::<Result<_, _>>().map(Some)
    }

    /// One of the words that `setting` lists.
    pub fn word<T: DeserializeOwned>(&self, setting: &Setting) -> Result<Option<T>, Error> {
        let Some(value) = self.values.get(setting.name) else { return Ok(None) };
        let problem = || {
            let words: Vec<&str> = setting.value.split('|').collect();
            format!("must be {}, got {}", words.join(" or "), shown(value))
        };
        serde_json::from_value(value.clone()).map(Some).map_err(|_| Error::setting(setting.name, problem()))
    }

    /// A text.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, Error> {
        let Some(value) = self.values.get(name) else { return Ok(None) };
        let problem = || Error::setting(name, format!("must be a text, got {}", shown(value)));
        value.as_str().map(Some).ok_or_else(problem)
    }

    /// The paper's search with what was given about σ, region, ε, τ and draws; other methods take σ and
    /// region from it.
    pub(super) fn published(&self) -> Result<Qcrs, Error> {
        let mut search = match (self.text("preset")?, self.sigma("sigma")?) {
            (Some(name), None) => Qcrs::preset(name)?,
            (Some(name), Some(sigma)) => Qcrs { sigma, ..Qcrs::preset(name)? },
            (None, Some(sigma)) => Qcrs::scaled_to(sigma)?,
            (None, None) => {
                let problem = "missing; give the noise that the model was trained with, or a preset";
                return Err(Error::setting("sigma", problem));
            }
        };
        search.low = self.sigma("left")?.unwrap_or(search.low);
        search.high = self.sigma("right")?.unwrap_or(search.high);
        if self.has("preset") && !(search.low..=search.high).contains(&search.sigma) {
            let [sigma, low, high] = [search.sigma, search.low, search.high].map(Sigma::get);
            let problem = format!(
                "{sigma} lies outside the region of the preset, {low} to {high}; leave the preset out, and the region is \
                 scaled to it"
            );
            return Err(Error::setting("sigma", problem));
        }
        search.tolerance = self.number("epsilon")?.unwrap_or(search.tolerance);
        let steps = self.number("epsilon_step")?.map(|steps| search.tolerance / steps);
        if steps.is_some() && self.has("tau") {
            return Err(Error::setting("epsilon_step", "is another way to give tau; give one of the two"));
        }
        search.step = self.number("tau")?.or(steps).unwrap_or(search.step);
        search.draws = self.count("gradient_n")?.unwrap_or(search.draws);
        Ok(search)
    }
}

/// 2⁵³: f64 does not hold every whole number beyond.
const TOO_LARGE: f64 = 9_007_199_254_740_992.0;

/// A whole number that f64 holds exactly.
fn whole(value: f64) -> Option<u64> {
    let exact = value.fract() == 0.0 && (0.0..TOO_LARGE).contains(&value);
    exact.then_some(value as u64)
}

/// A whole number as people write large ones: 100000, 1e5, 100,000 or `100_000`. An error says what is wrong
/// with it.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let typed = text.trim();
    let mut groups = typed.split([',', '_']);
    let first = groups.next().unwrap_or_default();
    let is_grouped = groups.clone().all(|group| group.len() == 3) && (1..=3).contains(&first.len());
    let digits =
        if groups.next().is_none() || is_grouped { typed.replace([',', '_'], "") } else { String::new() };
    let value: Option<f64> = digits.parse().ok();
    if value.is_some_and(|value| value >= TOO_LARGE) {
        return Err(format!("is too large: {typed}"));
    }
    let count = digits.parse().ok().or_else(|| value.and_then(whole));
    count.ok_or_else(|| format!("must be a whole number such as 100000, 1e5 or 100,000, got {typed}"))
}

/// A value as it was typed.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_read_as_people_write_them() {
        let read = |value: Value| {
            let values = BTreeMap::from([("n".to_owned(), value)]);
            Given { values: &values, dim: None }.count("n")
        };
        for value in
            [json!(100_000), json!("100000"), json!("1e5"), json!("100,000"), json!("100_000"), json!(1e5)]
        {
            assert_eq!(read(value.clone()).unwrap(), Some(100_000), "{value}");
        }
        for value in
            [json!("1e-5"), json!("10,00"), json!("1.5"), json!(-3), json!("many"), json!(true), json!("5e9")]
        {
            let error = read(value.clone()).unwrap_err().to_string();
            assert!(error.starts_with("n: must be"), "{value}: {error}");
        }
    }
}
