//! How does a dataset get here whole, or not at all?

use super::recipe::{DatasetRecipe, Work};
use crate::output::say;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Downloads a dataset into its own folder under `dir`, from the first source that works.
/// It is put together aside, checked, and only then given its name.
pub(super) fn get(recipe: &DatasetRecipe, dir: &Path) -> Result<PathBuf> {
    let target = dir.join(recipe.folder);
    if target.exists() {
        recipe.check(&target).with_context(|| {
            format!(
                "{} exists but is not {}; move it away and rerun the command",
                target.display(),
                recipe.title
            )
        })?;
        say!("qcrs: {} is already complete", target.display());
        return Ok(target);
    }
    let work = Work::new(&dir.join(format!("{}.partial", recipe.folder)))?;
    let mut failures = Vec::new();
    for source in recipe.sources {
        say!("qcrs: downloading {} from {}", recipe.title, source.what);
        let brought =
            work.clear().and_then(|()| (source.bring)(&work)).and_then(|()| recipe.check(&work.ready()));
        match brought {
            Ok(()) => {
                fs::rename(work.ready(), &target)
                    .with_context(|| format!("{}: cannot be renamed", target.display()))?;
                work.remove()?;
                return Ok(target);
            }
            Err(error) => {
                say!("qcrs: failed: {error:#}");
                failures.push(format!("  {}: {error:#}", source.what));
            }
        }
    }
    bail!(
        "no source of {} worked:\n{}\nby hand: {}, then rerun the command to check it",
        recipe.title,
        failures.join("\n"),
        recipe.by_hand.replace("DIR", &target.display().to_string())
    );
}

#[cfg(test)]
mod tests {
    use super::super::recipe::Source;
    use super::*;

    const MD5_OF_HELLO: &str = "5d41402abc4b2a76b9719d911017c592";

    fn recipe(sources: &'static [Source]) -> DatasetRecipe {
        let files = &[("a.txt", MD5_OF_HELLO)];
        DatasetRecipe { title: "Toy", folder: "toy", files, sources, by_hand: "put a.txt into DIR" }
    }

    const BROKEN: Source = Source { what: "a dead server", bring: |_| bail!("no route") };
    const WRONG: Source =
        Source { what: "a bad mirror", bring: |work| Ok(fs::write(work.ready().join("a.txt"), "hallo")?) };
    const GOOD: Source =
        Source { what: "a good mirror", bring: |work| Ok(fs::write(work.ready().join("a.txt"), "hello")?) };
    static GOOD_ONLY: [Source; 1] = [GOOD];
    static ALL: [Source; 3] = [BROKEN, WRONG, GOOD];
    static BAD: [Source; 2] = [BROKEN, WRONG];

    #[test]
    fn the_first_source_that_works_is_taken_and_checked() {
        let dir = tempfile::tempdir().unwrap();
        let folder = get(&recipe(&ALL), dir.path()).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a.txt")).unwrap(), "hello");
        assert!(!dir.path().join("toy.partial").exists());
        // again: nothing is fetched
        assert_eq!(get(&recipe(&BAD), dir.path()).unwrap(), folder);
    }

    #[test]
    fn all_failures_are_told_and_nothing_half_done_has_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let message = get(&recipe(&BAD), dir.path()).unwrap_err().to_string();
        for words in ["a dead server: no route", "a bad mirror: ", MD5_OF_HELLO, "by hand: put a.txt into"] {
            assert!(message.contains(words), "{message}");
        }
        assert!(!dir.path().join("toy").exists());
        get(&recipe(&GOOD_ONLY), dir.path()).expect("what is left over does not disturb");
    }

    #[test]
    fn a_damaged_folder_is_named_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = get(&recipe(&GOOD_ONLY), dir.path()).unwrap();
        fs::write(folder.join("a.txt"), "hell").unwrap();
        let message = format!("{:#}", get(&recipe(&GOOD_ONLY), dir.path()).unwrap_err());
        assert!(message.contains("move it away") && message.contains("a.txt"), "{message}");
        assert_eq!(fs::read_to_string(folder.join("a.txt")).unwrap(), "hell");
    }
}
