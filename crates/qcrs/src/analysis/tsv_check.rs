//! Do the radii of a result file follow from its other columns?

use super::tsv::table_lines;
use super::{Row, Table};
use crate::bounds::{clopper_pearson_lower, two_sided};
use crate::certify::Bound;
use crate::method::Slow;
use crate::radius::{gaussian, gaussian_two_sided};
use crate::run::{Guarantee, Spec};
use crate::types::{Alpha, Error, Sigma};
use std::collections::HashMap;

/// What the columns of a result file do not say, as far as it is known otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct TsvSettings {
    /// The probability with which each certificate may be wrong. Only answers files say it.
    pub alpha: Option<Alpha>,
    /// The draws of each certificate, for a file without the column `n`.
    pub n: Option<u64>,
    /// The noise level, for a file without the column `best_sigma`.
    pub sigma: Option<Sigma>,
}

/// Which columns were recomputed, and which rows disagree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TsvCheck {
    /// The rows of the file.
    pub rows: usize,
    /// The probability with which each certificate may be wrong, where it is known.
    pub alpha: Option<Alpha>,
    /// What was recomputed.
    pub done: Vec<TsvColumn>,
    /// What could not be recomputed, and why.
    pub left_out: Vec<String>,
    /// The rows that do not follow from their columns, in the order of the file.
    pub wrong: Vec<WrongRow>,
}

/// A column that was recomputed.
#[derive(Clone, Debug, PartialEq)]
pub struct TsvColumn {
    /// Its name.
    pub name: &'static str,
    /// What it was recomputed from.
    pub from: &'static str,
    /// The rows for which that was possible.
    pub rows: usize,
    /// The largest difference in a row that agrees.
    pub largest: f64,
}

/// A row that disagrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongRow {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its input.
    pub index: u32,
    /// What is wrong with it.
    pub problem: String,
}

/// Other programs round bounds and quantiles differently, by much less than this share.
const ROUNDING: f64 = 1e-6;

/// Radii that are fitted by the unknown votes of a rival have to fit better, since there are many of them.
const FIT: f64 = 1e-8;

/// What a radius was recomputed from.
const FROM_VOTES: &str = "votes, n and σ";
const TWO_SIDED: &str = "votes, n, σ and some number of votes for the runner-up (two-sided)";
const FROM_BOUND: &str = "pABar and σ";

/// Recomputes bounds and radii of a result file, row by row. Rounding does not count as a difference, neither
/// that of other programs nor that of radii with few digits. The noise is Gaussian: noise in steps of pixels
/// changes a radius by less than other programs' rounding does. A two-sided bound needs the votes of the
/// runner-up, which no file has: there, some number of them has to give the radius.
pub fn check_tsv(name: &str, text: &str, settings: &TsvSettings) -> Result<TsvCheck, Error> {
    check_rows(&Table::read_tsv(name.to_owned(), text)?, text, settings)
}

/// The same for a file that was read already.
pub(super) fn check_rows(table: &Table, text: &str, settings: &TsvSettings) -> Result<TsvCheck, Error> {
    let alpha = alpha_of(table, settings)?;
    let mut checker = Checker::new(settings, alpha, table, text);
    match why_not(table) {
        None => table.rows.iter().try_for_each(|row| checker.row(row))?,
        Some(why) => {
            checker.check.left_out.push(format!("radius: {why}, so it does not follow from the votes"));
        }
    }
    Ok(checker.finish(table, text))
}

/// The probability with which each certificate of the file may be wrong.
fn alpha_of(table: &Table, settings: &TsvSettings) -> Result<Option<Alpha>, Error> {
    if let Some(spec) = &table.spec {
        let (own, certificates) = (spec.budget.alpha(), spec.method.facts().certificates);
        if let Some(other) = settings.alpha.filter(|other| *other != own) {
            let problem = format!("the file was made with {}, got {}; leave it out", own.get(), other.get());
            return Err(Error::setting("alpha", problem));
        }
        return Ok(Some(own.share(certificates as usize)));
    }
    let has_votes = table.rows.iter().any(|row| row.votes.is_some());
    match settings.alpha {
        None if has_votes => {
            let problem = "a result file with votes does not say at which alpha they were counted; give it";
            Err(Error::setting("alpha", problem))
        }
        alpha => Ok(alpha),
    }
}

/// Why radii do not follow from the votes of a row.
fn why_not(table: &Table) -> Option<&'static str> {
    let second_law = |spec: &Spec| spec.method.facts().slow == Slow::Radii;
    if table.asked.is_some() {
        Some("only one radius was asked about")
    } else if table.guarantee == Some(Guarantee::MemoryBank) {
        Some("a bank may change it")
    } else if table.spec.as_ref().is_some_and(second_law) {
        Some("it rests on votes under two laws of noise")
    } else {
        None
    }
}

impl TsvCheck {
    /// Whether the radius of every row that is certified was recomputed.
    pub(super) fn of_all_radii(&self, table: &Table) -> bool {
        let radii = self.done.iter().filter(|column| column.name == "radius").map(|column| column.rows);
        let certified = table.rows.iter().filter(|row| row.predicted.is_some()).count();
        self.left_out.iter().all(|why| !why.starts_with("radius")) && radii.sum::<usize>() >= certified
    }
}

/// A line of the file as it is written.
struct Written<'a> {
    line: usize,
    radius: &'a str,
    p_lower: Option<f64>,
}

impl<'a> Written<'a> {
    /// Every line by its input. The table was read before, so the columns are there.
    fn of(text: &'a str) -> HashMap<u32, Self> {
        let mut lines = table_lines(text);
        let header = lines.next().map_or("", |(_, line)| line);
        let at = |name: &str| header.split('\t').position(|column| column.trim() == name);
        let (idx, radius, p_lower) = (at("idx"), at("radius"), at("pABar"));
        let line = |(number, line): (usize, &'a str)| {
            let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
            let field = |at: Option<usize>| fields.get(at?).copied();
            let p_lower = field(p_lower).and_then(|field| field.parse().ok());
            Some((field(idx)?.parse().ok()?, Self { line: number, radius: field(radius)?, p_lower }))
        };
        lines.filter_map(line).collect()
    }
}

/// Lower bounds of the probability of the class.
#[derive(Clone, Copy)]
struct Bounds {
    /// At α.
    whole: f64,
    /// At α/2, as each side of a two-sided bound has it.
    halved: f64,
    /// What they and σ come from.
    from: &'static str,
}

impl Bounds {
    fn of(([votes, n], alpha): ([u64; 2], Alpha)) -> Result<Self, Error> {
        let at = |alpha| clopper_pearson_lower(votes, n, alpha);
        Ok(Self { whole: at(alpha)?, halved: at(alpha.share(2))?, from: FROM_VOTES })
    }
}

struct Checker<'a> {
    settings: &'a TsvSettings,
    alpha: Option<Alpha>,
    written: HashMap<u32, Written<'a>>,
    /// Whether the bounds may be two-sided; a file without settings does not say.
    may_be_two_sided: bool,
    check: TsvCheck,
}

impl<'a> Checker<'a> {
    fn new(settings: &'a TsvSettings, alpha: Option<Alpha>, table: &Table, text: &'a str) -> Self {
        // a method that refuses the setting chooses the bound itself
        let chooses =
            |spec: &Spec| spec.method.facts().refuses.iter().any(|(setting, _)| *setting == "bound");
        let one_sided = |spec: &Spec| spec.budget.bound() == Bound::OneSided && !chooses(spec);
        let may_be_two_sided = !table.spec.as_ref().is_some_and(one_sided);
        Self { settings, alpha, written: Written::of(text), may_be_two_sided, check: TsvCheck::default() }
    }

    fn row(&mut self, row: &Row) -> Result<(), Error> {
        let Some(&Written { line, radius, p_lower: stated }) = self.written.get(&row.index) else {
            return Ok(());
        };
        let decimals = radius.split_once('.').map_or("", |(_, decimals)| decimals);
        let unit = decimals.chars().fold(0.5, |unit, _| unit / 10.0);
        let sigma = row.sigma.map(Sigma::new).transpose()?.or(self.settings.sigma);
        let counted = row.votes.zip(self.alpha).map(Bounds::of).transpose()?;
        let of_bound = stated.zip(counted).and_then(|(stated, counted)| self.bound(stated, counted));
        let known = counted.or(stated.map(|whole| Bounds { whole, halved: whole, from: FROM_BOUND }));
        let of_radius = match (known, sigma) {
            (Some(bounds), Some(sigma)) => self.radius(row, bounds, (sigma, unit))?,
            (_, sigma) => self.largest(row, sigma, unit)?,
        };
        let wrong = |problem| WrongRow { line, index: row.index, problem };
        self.check.wrong.extend(of_bound.into_iter().chain(of_radius).map(wrong));
        Ok(())
    }

    /// Whether pABar is the bound that the votes give, at α or at the α/2 of a two-sided one.
    fn bound(&mut self, stated: f64, Bounds { whole, halved, .. }: Bounds) -> Option<String> {
        let problem = || format!("pABar is {stated}, but its votes give {whole}");
        let nearest = if differ(stated, halved, 0.0) > 0.0 { whole } else { halved };
        self.compare("pABar", "votes and n", (stated, nearest, 0.0), problem)
    }

    /// Whether the radius is what the bound proves at σ.
    fn radius(
        &mut self,
        row: &Row,
        Bounds { whole, halved, from }: Bounds,
        (sigma, unit): (Sigma, f64),
    ) -> Result<Option<String>, Error> {
        let (radius, found) = (row.radius, gaussian(whole, sigma)?);
        let (proved, agrees) = (found.unwrap_or(0.0), row.predicted.is_some() == found.is_some());
        let is_same = agrees && differ(radius, proved, unit) <= 0.0;
        if !is_same && self.may_be_two_sided && self.fits_two_sided(row, sigma)? {
            return Ok(self.compare("radius", TWO_SIDED, (radius, radius, unit), String::new));
        }
        if agrees {
            let problem = || format!("radius is {radius}, but {from} give {proved}");
            return Ok(self.compare("radius", from, (radius, proved, unit), problem));
        }
        Ok(match row.predicted {
            Some(_) => Some(format!("it is certified, but a bound of {whole} proves nothing")),
            None if halved < 0.5 => None,
            None => Some(format!("it abstains, but {from} give a radius of {proved}")),
        })
    }

    /// Whether the radius is one that n draws can show.
    fn largest(&mut self, row: &Row, sigma: Option<Sigma>, unit: f64) -> Result<Option<String>, Error> {
        let (Some(sigma), Some(n), Some(alpha)) = (sigma, self.settings.n, self.alpha) else {
            return Ok(None);
        };
        let most = gaussian(clopper_pearson_lower(n, n, alpha)?, sigma)?.unwrap_or(0.0);
        let problem = || format!("radius is {}, but n = {n} draws can show at most {most}", row.radius);
        let numbers = (row.radius.max(most), most, unit);
        Ok(self.compare("largest radius", "n, alpha and σ", numbers, problem))
    }

    /// Counts a row of `column`; what is wrong with it if the two numbers differ by more than rounding.
    fn compare(
        &mut self,
        name: &'static str,
        from: &'static str,
        (stated, found, unit): (f64, f64, f64),
        problem: impl Fn() -> String,
    ) -> Option<String> {
        let done = &mut self.check.done;
        let at = done.iter().position(|column| (column.name, column.from) == (name, from));
        let at = at.unwrap_or_else(|| {
            done.push(TsvColumn { name, from, rows: 0, largest: 0.0 });
            done.len() - 1
        });
        done[at].rows += 1;
        if differ(stated, found, unit) > 0.0 {
            return Some(problem());
        }
        done[at].largest = done[at].largest.max((stated - found).abs());
        None
    }

    /// Whether some number of votes for the strongest rival makes the radius of a row two-sided.
    fn fits_two_sided(&self, row: &Row, sigma: Sigma) -> Result<bool, Error> {
        let (Some([votes, n]), Some(alpha)) = (row.votes, self.alpha) else { return Ok(false) };
        let radius = |rival: u64| {
            let lead = two_sided(n, votes, rival, alpha)?;
            Ok::<f64, Error>(gaussian_two_sided(lead.class, lead.not_other, sigma)?.unwrap_or(0.0))
        };
        // the more votes the rival has, the smaller the radius
        let (mut below, mut above) = (0, n - votes);
        while below < above {
            let middle = below + (above - below) / 2;
            if radius(middle)? > row.radius * (1.0 + FIT) { below = middle + 1 } else { above = middle }
        }
        let is_near = (radius(below)? - row.radius).abs() <= FIT * row.radius;
        Ok(row.predicted.is_some() && row.radius > 0.0 && is_near)
    }

    fn finish(mut self, table: &Table, text: &str) -> TsvCheck {
        let header = table_lines(text).next().map_or("", |(_, line)| line);
        let has = |name: &str| header.split('\t').any(|column| column.trim() == name);
        let done = |name: &str| self.check.done.iter().any(|column| column.name == name);
        let mut left_out = Vec::new();
        if has("pABar") && !done("pABar") {
            left_out.push("pABar: the file has no votes".to_owned());
        }
        if !done("radius") && self.check.left_out.is_empty() {
            let missing = if has("votes") || has("pABar") { "no σ" } else { "neither votes nor pABar" };
            left_out.push(format!("radius: the file has {missing}"));
        }
        left_out.push("label, predict and votes: they need the run's records, its model and its data".into());
        if has("correct") {
            let labelled = table.rows.iter().filter(|row| row.label.is_some()).count();
            let from = "label and predict";
            self.check.done.insert(0, TsvColumn { name: "correct", from, rows: labelled, largest: 0.0 });
        }
        self.check.left_out.extend(left_out);
        (self.check.rows, self.check.alpha) = (table.rows.len(), self.alpha);
        self.check.wrong.sort_by_key(|wrong| wrong.line);
        self.check
    }
}

/// By how much two numbers differ beyond rounding; `unit` is half of the last digit that one of them has.
fn differ(stated: f64, found: f64, unit: f64) -> f64 {
    ((stated - found).abs() - unit - ROUNDING * found.abs()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> TsvSettings {
        TsvSettings { alpha: Some(Alpha::new(0.001).unwrap()), ..TsvSettings::default() }
    }

    const OURS: &str = "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\tvotes\tn\n\
                        0\t3\t3\t0.031638216722303665\t1\t0.5\t5407\t10000\n\
                        50\t9\t9\t0.5496190312664228\t1\t0.5\t8747\t10000\n\
                        100\t4\t-1\t0\t0\t0.5\t4000\t10000\n";

    #[test]
    fn radii_follow_from_votes_and_a_changed_one_is_named() {
        let check = check_tsv("a.tsv", OURS, &settings()).unwrap();
        assert_eq!((check.rows, check.wrong.len()), (3, 0), "{check:?}");
        let radius = check.done.iter().find(|column| column.name == "radius").unwrap();
        assert_eq!((radius.rows, radius.from), (3, "votes, n and σ"));
        assert!(radius.largest < 1e-15, "{}", radius.largest);
        for (from, to, line, problem) in [
            ("0.5496190312664228", "0.5497190312664228", 3, "radius is 0.549719031266422"),
            ("8747", "8746", 3, "radius is 0.5496190312664228, but"),
            ("\t5407\t", "\t5000\t", 2, "it is certified, but a bound of 0.484"),
            ("\t4000\t", "\t9000\t", 4, "it abstains, but votes, n and σ give a radius of 0.614"),
        ] {
            let check = check_tsv("a.tsv", &OURS.replace(from, to), &settings()).unwrap();
            let [wrong] = &check.wrong[..] else { panic!("{from} {to}: {check:?}") };
            assert_eq!(wrong.line, line, "{from} {to}");
            assert!(wrong.problem.starts_with(problem), "{}", wrong.problem);
        }
        let error = check_tsv("a.tsv", OURS, &TsvSettings::default()).unwrap_err().to_string();
        assert!(error.starts_with("alpha: "), "{error}");
        let other = TsvSettings { alpha: Some(Alpha::new(0.01).unwrap()), ..settings() };
        assert_eq!(check_tsv("a.tsv", OURS, &other).unwrap().wrong.len(), 2, "every certificate");
    }

    /// 7,000 votes against 1,234 of a rival, at α/2 each.
    #[test]
    fn a_two_sided_radius_needs_a_whole_number_of_votes_for_the_rival() {
        let alpha = Alpha::new(0.001).unwrap();
        let (sigma, lead) = (Sigma::new(0.5).unwrap(), two_sided(10_000, 7000, 1234, alpha).unwrap());
        let radius = gaussian_two_sided(lead.class, lead.not_other, sigma).unwrap().unwrap();
        let file = |radius: f64| {
            format!(
                "idx\tlabel\tpredict\tradius\tbest_sigma\tvotes\tn\n7\t1\t1\t{radius}\t0.5\t7000\t10000\n"
            )
        };
        let check = check_tsv("p.tsv", &file(radius), &settings()).unwrap();
        assert_eq!((check.wrong.len(), check.done[0].from), (0, TWO_SIDED), "{check:?}");
        for forged in [radius * 1.00001, radius * 0.99999, radius * 1.4] {
            assert_eq!(check_tsv("p.tsv", &file(forged), &settings()).unwrap().wrong.len(), 1, "{forged}");
        }
    }

    #[test]
    fn files_of_others_are_checked_as_far_as_their_columns_go() {
        let qcrs = "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\tpABar\ttime\n\
                    0\t3\t3\t0.7700592317576768\t1\t0.35453124999999996\t0.9850740147923864\t0:00:04.995791\n";
        let check = check_tsv("q.tsv", qcrs, &TsvSettings::default()).unwrap();
        assert_eq!((check.wrong.len(), check.done.last().unwrap().from), (0, "pABar and σ"));
        assert!(check.left_out[0].starts_with("pABar: the file has no votes"), "{:?}", check.left_out);
        let wrong = check_tsv("q.tsv", &qcrs.replace("0.770", "0.771"), &TsvSettings::default()).unwrap();
        assert_eq!(wrong.wrong.len(), 1);
        // three digits, rounded to the nearest
        let cohen =
            "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.378\t1\t15.4\n20\t7\t-1\t0.0\t0\t15.6\n";
        let check = check_tsv("c.tsv", cohen, &settings()).unwrap();
        assert!(
            check.wrong.is_empty() && check.left_out[0] == "radius: the file has neither votes nor pABar"
        );
        let known = TsvSettings { n: Some(1000), sigma: Some(Sigma::new(0.12).unwrap()), ..settings() };
        assert_eq!(check_tsv("c.tsv", cohen, &known).unwrap().wrong[0].line, 2, "0.296 is the most");
        let known = TsvSettings { n: Some(100_000), sigma: Some(Sigma::new(0.12).unwrap()), ..settings() };
        assert!(check_tsv("c.tsv", cohen, &known).unwrap().wrong.is_empty());
    }
}
