//! At which σ, n and α were the radii of a file certified that does not say so?
//!
//! A radius is σ Φ⁻¹(p) where p is the Clopper-Pearson bound of k of n votes at α. There are only n such radii for each
//! (σ, n, α), and the largest of them are further apart than the digits of a file: radii that all lie on them tell
//! which (σ, n, α) they come from.

use super::{Row, Table};
use crate::radius::gaussian_of_votes;
use crate::types::{Alpha, Error, Sigma};

/// The radii that votes can show: one for each number of votes for the class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadiusLattice {
    /// The noise level of all rows; `None` where each row says its own.
    pub sigma: Option<Sigma>,
    /// The draws of each certificate.
    pub n: u64,
    /// The probability with which each certificate may be wrong.
    pub alpha: Alpha,
}

/// What a file may have been made with.
#[derive(Clone, Debug)]
pub struct LatticeCandidates {
    /// The noise levels, for a file that has none.
    pub sigmas: Vec<Sigma>,
    /// The draws of a certificate.
    pub n: Vec<u64>,
    /// The probabilities with which a certificate may be wrong.
    pub alphas: Vec<Alpha>,
}

/// What the radii of a file tell.
#[derive(Clone, Debug, PartialEq)]
pub enum LatticeReading {
    /// They lie on one of the lattices, and it would be a strange chance if they came from another.
    Found {
        /// The lattice.
        lattice: RadiusLattice,
        /// How many rows were compared, those with the largest radii.
        rows: usize,
    },
    /// They lie on several lattices, or on one that is so fine that any radius lies on it.
    Ambiguous(Vec<RadiusLattice>),
    /// They lie on none.
    Unknown,
}

/// So many different radii are compared, the largest ones.
const MOST: usize = 64;
/// After so many radii in a row that would lie on any lattice as fine, smaller ones tell nothing either.
const DENSE: usize = 4;
/// Other programs round bounds and quantiles differently, by much less than this share.
const ROUNDING: f64 = 1e-9;
/// Radii that come from elsewhere lie on the lattice with at most this probability.
const LARGEST_CHANCE: f64 = 1e-6;
/// Another lattice on which they lie must be so many times as likely to be hit by chance.
const APART: f64 = 1e3;

impl LatticeCandidates {
    /// The noise levels, draws and α that the field uses.
    pub fn usual() -> Result<Self, Error> {
        Ok(Self {
            sigmas: [0.12, 0.25, 0.5, 1.0].into_iter().map(Sigma::new).collect::<Result<_, _>>()?,
            n: vec![1000, 10_000, 100_000],
            alphas: [0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001]
                .into_iter()
                .map(Alpha::new)
                .collect::<Result<_, _>>()?,
        })
    }

    fn lattices(&self, has_sigma: bool) -> Vec<RadiusLattice> {
        let sigmas = if has_sigma { vec![None] } else { self.sigmas.iter().copied().map(Some).collect() };
        let mut all = Vec::new();
        for sigma in sigmas {
            for &n in &self.n {
                all.extend(self.alphas.iter().map(|&alpha| RadiusLattice { sigma, n, alpha }));
            }
        }
        all
    }
}

/// Finds the candidate whose lattice holds the radii of `table`, from their digits alone.
pub fn read_lattice(table: &Table, candidates: &LatticeCandidates) -> Result<LatticeReading, Error> {
    let printed = Printed::largest(table)?;
    let has_sigma = printed.iter().all(|printed| printed.sigma.is_some());
    let mut fits = Vec::new();
    for lattice in candidates.lattices(has_sigma) {
        if let Some(fit) = lattice.fit(&printed)? {
            fits.push((fit.ln_chance, fit.rows, lattice));
        }
    }
    fits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(best, rows, lattice)) = fits.first() else { return Ok(LatticeReading::Unknown) };
    let rival = fits.get(1).map_or(f64::INFINITY, |rival| rival.0);
    if best <= LARGEST_CHANCE.ln() && rival >= best + APART.ln() {
        return Ok(LatticeReading::Found { lattice, rows });
    }
    Ok(LatticeReading::Ambiguous(fits.into_iter().map(|(_, _, lattice)| lattice).collect()))
}

/// A radius as a file has it.
#[derive(Clone, Copy)]
struct Printed {
    radius: f64,
    sigma: Option<Sigma>,
    /// Half of its last digit.
    unit: f64,
    /// How many rows have it.
    rows: usize,
}

impl Printed {
    /// The largest different radii of certified rows, in units of σ where it is known.
    fn largest(table: &Table) -> Result<Vec<Self>, Error> {
        let certified = || table.rows.iter().filter(|row| row.predicted.is_some() && row.radius > 0.0);
        let digits = certified().map(|row| significant_digits(row.radius)).max().unwrap_or(0);
        let of = |row: &Row| -> Result<Self, Error> {
            let sigma = row.sigma.map(Sigma::new).transpose()?;
            Ok(Self { radius: row.radius, sigma, unit: unit(row.radius, digits), rows: 1 })
        };
        let mut all = certified().map(of).collect::<Result<Vec<_>, _>>()?;
        let scaled = |printed: &Self| printed.radius / printed.sigma.map_or(1.0, Sigma::get);
        all.sort_by(|a, b| scaled(b).total_cmp(&scaled(a)));
        all.dedup_by(|next, kept| {
            let is_same = next.radius.total_cmp(&kept.radius).is_eq() && next.sigma == kept.sigma;
            kept.rows += usize::from(is_same);
            is_same
        });
        all.truncate(MOST);
        Ok(all)
    }
}

/// The digits of the shortest decimal that reads back as the same number, without zeros at either end.
fn significant_digits(value: f64) -> usize {
    let text = value.to_string().replace('.', "");
    text.trim_start_matches('0').trim_end_matches('0').len()
}

/// Half of the last of so many digits, and at least what other programs round differently.
fn unit(value: f64, digits: usize) -> f64 {
    let exponent = value.log10().floor() + 1.0 - digits as f64;
    (0.5 * 10_f64.powf(exponent)).max(ROUNDING * value)
}

/// How well radii lie on a lattice.
struct LatticeFit {
    rows: usize,
    /// The logarithm of the probability with which the radii of so many rows from elsewhere would lie on it.
    ln_chance: f64,
}

impl RadiusLattice {
    /// `None` if a radius does not lie on the lattice.
    fn fit(&self, printed: &[Printed]) -> Result<Option<LatticeFit>, Error> {
        let (mut fit, mut dense) = (LatticeFit { rows: 0, ln_chance: 0.0 }, 0);
        for &Printed { radius, sigma, unit, rows } in printed {
            let Some(sigma) = sigma.or(self.sigma) else { return Ok(None) };
            let votes = self.votes(radius, sigma)?;
            let point = self.radius(votes, sigma)?;
            if (point - radius).abs() > unit * (1.0 + ROUNDING) {
                return Ok(None);
            }
            let gap = point - self.radius(votes.saturating_sub(1), sigma)?;
            let chance = (2.0 * unit / gap).min(1.0);
            fit.rows += rows;
            fit.ln_chance += rows as f64 * chance.ln();
            dense = if chance > 0.5 { dense + 1 } else { 0 };
            if dense == DENSE {
                break;
            }
        }
        Ok(Some(fit))
    }

    /// The votes for the class whose radius is nearest to `radius`.
    pub fn votes(&self, radius: f64, sigma: Sigma) -> Result<u64, Error> {
        // the smallest number of votes that shows this radius, or one more than all
        let (mut low, mut high) = (self.n / 2, self.n + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.radius(middle, sigma)? >= radius { high = middle } else { low = middle + 1 }
        }
        if low > self.n {
            return Ok(self.n);
        }
        let (below, above) = (self.radius(low.saturating_sub(1), sigma)?, self.radius(low, sigma)?);
        Ok(if radius - below < above - radius { low - 1 } else { low })
    }

    /// The table as its votes would have made it at a smaller α: the votes are those nearest to each radius, and rows
    /// whose bound falls below ½ abstain. It is an error for a larger α, at which rows that abstain might be certified.
    pub fn at_alpha(&self, table: &Table, alpha: Alpha) -> Result<Table, Error> {
        if alpha.get() > self.alpha.get() {
            let (have, asked) = (self.alpha.get(), alpha.get());
            let problem =
                format!("rows that abstain at {have} have no radius, so nothing is known at {asked}");
            return Err(Error::setting("alpha", problem));
        }
        let convert = |row: &Row| -> Result<Row, Error> {
            if row.predicted.is_none() {
                return Ok(row.clone());
            }
            let sigma = match row.sigma {
                Some(sigma) => Some(Sigma::new(sigma)?),
                None => self.sigma,
            };
            let Some(sigma) = sigma else {
                return Err(Error::Invalid(format!("{}: input {} has no σ", table.name, row.index)));
            };
            let votes = self.votes(row.radius, sigma)?;
            Ok(match gaussian_of_votes(votes, self.n, alpha, sigma)? {
                Some(radius) => Row { radius, ..row.clone() },
                None => Row { predicted: None, radius: 0.0, answers: Vec::new(), ..row.clone() },
            })
        };
        let rows = table.rows.iter().map(convert).collect::<Result<_, _>>()?;
        Ok(Table { rows, ..table.clone() })
    }

    /// What so many votes show; below 0 where they show nothing.
    fn radius(&self, votes: u64, sigma: Sigma) -> Result<f64, Error> {
        Ok(gaussian_of_votes(votes, self.n, self.alpha, sigma)?.unwrap_or(-1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha(alpha: f64) -> Alpha {
        Alpha::new(alpha).unwrap()
    }

    fn sigma(sigma: f64) -> Sigma {
        Sigma::new(sigma).unwrap()
    }

    /// Votes against the class, few as in published logs.
    const AGAINST: [u64; 10] = [0, 1, 2, 3, 5, 8, 13, 40, 700, 20_000];
    /// Unanimous rows besides.
    const UNANIMOUS: usize = 10;

    fn radius(against: u64, level: f64, at: f64) -> f64 {
        gaussian_of_votes(100_000 - against, 100_000, alpha(at), sigma(level)).unwrap().unwrap()
    }

    /// Three significant digits, rounded to the nearest as Python's `{:.3}` does.
    fn three(value: f64) -> f64 {
        let scale = 10_f64.powi(2 - value.log10().floor() as i32);
        (value * scale).round() / scale
    }

    fn cohen(level: f64, at: f64) -> Table {
        let row = |(index, against): (usize, &u64)| {
            format!("{index}\t1\t1\t{}\n", three(radius(*against, level, at)))
        };
        let rows: String = AGAINST.iter().chain(&[0; UNANIMOUS]).enumerate().map(row).collect();
        Table::from_tsv("cohen".into(), &format!("idx\tlabel\tpredict\tradius\n{rows}")).unwrap()
    }

    fn read(table: &Table) -> LatticeReading {
        read_lattice(table, &LatticeCandidates::usual().unwrap()).unwrap()
    }

    #[test]
    fn three_digits_tell_noise_and_alpha() {
        for (level, at) in [(0.12, 0.001), (0.25, 0.01), (0.25, 0.001), (0.5, 0.01), (0.5, 0.001)] {
            let expected = RadiusLattice { sigma: Some(sigma(level)), n: 100_000, alpha: alpha(at) };
            match read(&cohen(level, at)) {
                LatticeReading::Found { lattice, rows } => {
                    assert!(lattice == expected && rows > UNANIMOUS, "{lattice:?}");
                }
                other => panic!("σ = {level}, α = {at}: {other:?}"),
            }
        }
    }

    #[test]
    fn every_digit_tells_alpha_and_draws_at_a_sigma_of_its_own() {
        let row = |(index, against): (usize, &u64)| {
            let level = 0.2 + 0.1 * index as f64;
            format!("{index}\t1\t1\t{}\t{level}\n", radius(*against, level, 0.01))
        };
        let rows: String = AGAINST.iter().enumerate().map(row).collect();
        let table =
            Table::from_tsv("a".into(), &format!("idx\tlabel\tpredict\tradius\tbest_sigma\n{rows}")).unwrap();
        let expected = RadiusLattice { sigma: None, n: 100_000, alpha: alpha(0.01) };
        assert_eq!(read(&table), LatticeReading::Found { lattice: expected, rows: 10 });
        let mut forged = table;
        forged.rows[3].radius *= 1.0 + 1e-6;
        assert_eq!(read(&forged), LatticeReading::Unknown);
    }

    #[test]
    fn small_radii_are_ambiguous_and_others_unknown() {
        let table = |radii: &[f64]| {
            let rows = radii.iter().enumerate().map(|(index, radius)| format!("{index}\t1\t1\t{radius}\n"));
            let rows: String = rows.collect();
            Table::from_tsv("a".into(), &format!("idx\tlabel\tpredict\tradius\n{rows}")).unwrap()
        };
        let reading = read(&table(&[0.101, 0.113, 0.127]));
        assert!(matches!(&reading, LatticeReading::Ambiguous(several) if several.len() > 1), "{reading:?}");
        assert_eq!(read(&table(&[7.0])), LatticeReading::Unknown);
        assert_eq!(
            read(&table(&[])),
            LatticeReading::Ambiguous(LatticeCandidates::usual().unwrap().lattices(true))
        );
    }

    #[test]
    fn votes_give_the_radii_of_a_smaller_alpha_only() {
        let lattice = RadiusLattice { sigma: Some(sigma(0.25)), n: 100_000, alpha: alpha(0.01) };
        let mut loose = cohen(0.25, 0.01);
        // 50,400 votes show something at 0.01, but nothing at 0.001
        let barely = gaussian_of_votes(50_400, 100_000, alpha(0.01), sigma(0.25)).unwrap().unwrap();
        loose.rows.push(Row { index: 99, radius: barely, ..loose.rows[0].clone() });
        loose.rows.push(Row { index: 100, radius: 0.0, predicted: None, ..loose.rows[0].clone() });
        let strict = lattice.at_alpha(&loose, alpha(0.001)).unwrap();
        for (row, against) in strict.rows.iter().zip(AGAINST).take(8) {
            let expected = radius(against, 0.25, 0.001);
            assert!((row.radius - expected).abs() < 1e-12, "{against}: {} is not {expected}", row.radius);
        }
        assert_eq!(
            strict.rows[10 + UNANIMOUS..].iter().map(|row| row.predicted).collect::<Vec<_>>(),
            [None, None]
        );
        let error = lattice.at_alpha(&loose, alpha(0.05)).unwrap_err().to_string();
        assert!(error.starts_with("alpha: rows that abstain at 0.01"), "{error}");
    }
}
