//! Which files of a folder are result files?

use anyhow::{Context, ensure};
use qcrs::analysis::Table;
use qcrs::types::Error;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What a folder holds.
pub struct FoundLogs {
    /// The result files, named by their path in the folder and in its order.
    pub tables: Vec<Table>,
    /// Files that look like result files, and why they are none.
    pub refused: Vec<(String, String)>,
    /// How many other files there are.
    pub others: usize,
}

/// How every result file of the field starts.
const START: &[u8] = b"idx\t";

/// Reads every result file in `dir` and its folders, whatever its name. Hidden folders are left out.
pub fn find(dir: &Path) -> anyhow::Result<FoundLogs> {
    let mut paths = Vec::new();
    walk(dir, &mut paths)?;
    let mut found = FoundLogs { tables: Vec::new(), refused: Vec::new(), others: 0 };
    let mut seen: HashMap<blake3::Hash, String> = HashMap::new();
    for path in paths {
        let name = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        if !looks_like_a_log(&path)? {
            found.others += 1;
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let twin = seen.insert(blake3::hash(&bytes), name.clone());
        match (read(&name, bytes), twin) {
            (_, Some(twin)) => found.refused.push((name, format!("the same as {twin}"))),
            (Ok(table), None) => found.tables.push(table),
            (Err(why), None) => found.refused.push((name, why)),
        }
    }
    ensure!(
        !found.tables.is_empty(),
        "{}: no result file with the columns idx, label, predict and radius; clone github.com/ntuaislab/QCRS and \
         github.com/locuslab/smoothing into one folder and pass that",
        dir.display()
    );
    Ok(found)
}

/// All files below `dir`, in order of their paths. Links to folders are not followed: they may lead back.
fn walk(dir: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let here = || dir.display().to_string();
    let mut entries =
        std::fs::read_dir(dir).with_context(here)?.collect::<Result<Vec<_>, _>>().with_context(here)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type().with_context(here)? {
            _ if is_hidden => {}
            kind if kind.is_dir() => walk(&entry.path(), paths)?,
            _ if entry.path().is_file() => paths.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

/// By its first bytes, or by its name where these are different.
fn looks_like_a_log(path: &Path) -> anyhow::Result<bool> {
    let here = || path.display().to_string();
    let mut start = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(START.len() as u64).read_to_end(&mut start))
        .with_context(here)?;
    Ok(start == START || path.extension().is_some_and(|extension| extension == "tsv"))
}

fn read(name: &str, bytes: Vec<u8>) -> Result<Table, String> {
    let text = String::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    let table = Table::from_tsv(name.to_owned(), &text).map_err(|error| match error {
        Error::Format { problem, .. } => problem,
        other => other.to_string(),
    })?;
    if table.rows.is_empty() { Err("it has no rows".into()) } else { Ok(table) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_found_by_their_columns_and_others_are_named_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let log =
            "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.5\t1\t1.0\n20\t7\t-1\t0.0\t0\t1.0\n";
        write("data/certify/sigma_0.50", log);
        write("exp/cifar_exp", &log.replace("0.5", "0.25"));
        write("again.tsv", log);
        write("twice.tsv", &(log.to_owned() + "20\t7\t7\t0.1\t1\t1.0\n"));
        write("predict/N_100", "idx\tlabel\tpredict\tcorrect\ttime\n0\t0\t0\t1\t1.0\n");
        write("table.tsv", "method\tACR\n");
        write("empty.tsv", "idx\tlabel\tpredict\tradius\n");
        write("README.md", "# a program\n");
        write(".git/log", log);
        let found = find(dir.path()).unwrap();
        let names: Vec<&str> = found.tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!((names, found.others), (vec!["again.tsv", "exp/cifar_exp"], 1));
        let expected = [
            ("data/certify/sigma_0.50", "the same as again.tsv"),
            ("empty.tsv", "it has no rows"),
            ("predict/N_100", "line 1: no column `radius`"),
            ("table.tsv", "line 1: no column `idx`"),
            ("twice.tsv", "line 4: input 20 appears twice"),
        ];
        assert_eq!(found.refused.len(), expected.len(), "{:?}", found.refused);
        for ((name, why), expected) in found.refused.iter().zip(expected) {
            assert!(name == expected.0 && why.starts_with(expected.1), "{name}: {why}");
        }
    }

    #[test]
    fn a_folder_without_logs_says_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let error = find(dir.path()).err().unwrap().to_string();
        assert!(error.contains("locuslab/smoothing"), "{error}");
    }
}
