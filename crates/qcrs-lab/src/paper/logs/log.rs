//! What made a result file, as far as its rows tell?

use crate::paper::published::PaperData;
use qcrs::analysis::{
    IdRange, LatticeCandidates, LatticeReading, RadiusLattice, SearchCells, Table, read_lattice,
};
use qcrs::method::Qcrs;
use qcrs::types::Alpha;
use std::collections::HashSet;

/// A result file with what its rows tell.
pub struct PublishedLog {
    /// Its path in the folder.
    pub file: String,
    /// The rows, under a name that says what made them.
    pub table: Table,
    /// The images it is about.
    pub data: Option<PaperData>,
    /// Its ids.
    pub ids: IdRange,
    /// What its radii tell about σ, n and α.
    pub reading: LatticeReading,
    /// How σ was chosen.
    pub made: LogMethod,
}

/// How the σ of each row was chosen.
pub enum LogMethod {
    /// All rows have this one, as in COHEN.
    OneSigma(f64),
    /// By the search of QCRS with published settings.
    Search {
        /// Their name.
        preset: &'static str,
        /// Where each row ended.
        cells: SearchCells,
    },
    /// Not told.
    Unknown,
}

impl PublishedLog {
    /// Reads off `table` what its rows tell.
    pub fn of(table: Table, file: String, ids: IdRange, data: Option<PaperData>) -> anyhow::Result<Self> {
        let reading = read_lattice(&table, &candidates(&table)?)?;
        let made = made(&table, &reading)?;
        Ok(Self { file, table, data, ids, reading, made })
    }

    /// All logs of a folder, each under a name of its own.
    pub fn all(tables: Vec<Table>) -> anyhow::Result<Vec<Self>> {
        let mut logs = Vec::new();
        for table in tables {
            let data = PaperData::by_labels(&table);
            let file = table.name.clone();
            // a file without rows is refused before
            let Some(ids) = IdRange::of(&table, data.map(PaperData::inputs)) else { continue };
            logs.push(Self::of(table, file, ids, data)?);
        }
        let names: Vec<String> = logs.iter().map(Self::own_name).collect();
        let mut seen = HashSet::new();
        let twice: HashSet<&String> = names.iter().filter(|name| !seen.insert(*name)).collect();
        for (log, name) in logs.iter_mut().zip(&names) {
            let file = &log.file;
            log.table.name = if twice.contains(name) { format!("{name}, {file}") } else { name.clone() };
        }
        Ok(logs)
    }

    /// What to call it.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    fn own_name(&self) -> String {
        match (&self.made, self.data) {
            (LogMethod::OneSigma(sigma), Some(data)) => format!("COHEN, {} {sigma:.2}", data.name()),
            (LogMethod::OneSigma(sigma), None) => format!("COHEN, {sigma:.2}"),
            (LogMethod::Search { preset, .. }, _) => format!("QCRS, {preset}"),
            (LogMethod::Unknown, _) => self.file.clone(),
        }
    }

    /// σ, n and α, where the radii tell them.
    pub fn lattice(&self) -> Option<RadiusLattice> {
        match self.reading {
            LatticeReading::Found { lattice, .. } => Some(lattice),
            LatticeReading::Ambiguous(_) | LatticeReading::Unknown => None,
        }
    }

    /// The log at a smaller α; `None` where its votes are not known.
    pub fn at_alpha(&self, alpha: Alpha) -> anyhow::Result<Option<Table>> {
        match self.lattice() {
            Some(lattice) if lattice.alpha == alpha => Ok(Some(self.table.clone())),
            Some(lattice) if lattice.alpha > alpha => Ok(Some(lattice.at_alpha(&self.table, alpha)?)),
            _ => Ok(None),
        }
    }

    /// σ₀ of the search, or the only σ.
    pub fn start(&self) -> Option<f64> {
        match &self.made {
            LogMethod::OneSigma(sigma) => Some(*sigma),
            LogMethod::Search { cells, .. } => Some(cells.kept.sigma),
            LogMethod::Unknown => None,
        }
    }

    /// The cells of its search, where it is one.
    pub fn cells(&self) -> Option<&SearchCells> {
        match &self.made {
            LogMethod::Search { cells, .. } => Some(cells),
            LogMethod::OneSigma(_) | LogMethod::Unknown => None,
        }
    }

    /// The name of a class of its data.
    pub fn class_name(&self, class: usize) -> String {
        self.data.and_then(|data| data.class_name(class)).unwrap_or_else(|| format!("class {class}"))
    }
}

/// The usual candidates, but for the draws where the file has them.
fn candidates(table: &Table) -> anyhow::Result<LatticeCandidates> {
    let usual = LatticeCandidates::usual()?;
    let stated = table.rows.iter().filter_map(|row| row.votes).map(|[_, n]| n).max();
    Ok(LatticeCandidates { n: stated.map_or(usual.n.clone(), |n| vec![n]), ..usual })
}

fn made(table: &Table, reading: &LatticeReading) -> anyhow::Result<LogMethod> {
    if table.sigma_varies() {
        return search(table);
    }
    let read = match reading {
        LatticeReading::Found { lattice, .. } => lattice.sigma.map(qcrs::types::Sigma::get),
        LatticeReading::Ambiguous(_) | LatticeReading::Unknown => None,
    };
    let sigma = table.rows.iter().find_map(|row| row.sigma).or(read);
    Ok(sigma.map_or(LogMethod::Unknown, LogMethod::OneSigma))
}

/// The only published search at whose σ every row ends.
fn search(table: &Table) -> anyhow::Result<LogMethod> {
    let mut fitting = Vec::new();
    for preset in Qcrs::presets() {
        if let Some(cells) = SearchCells::of(table, &Qcrs::preset(preset)?)? {
            fitting.push(LogMethod::Search { preset, cells });
        }
    }
    let only = fitting.pop().filter(|_| fitting.is_empty());
    Ok(only.unwrap_or(LogMethod::Unknown))
}
