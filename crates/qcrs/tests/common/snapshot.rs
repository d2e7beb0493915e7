//! Compares what people see with files that somebody has looked at.

use std::path::Path;

/// Each text is what the file of its name in `tests/snapshots/FOLDER` holds, and there are no other files. With
/// QCRS_ACCEPT=1 the files are written instead.
pub fn compare(folder: &str, texts: &[(&str, String)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(folder);
    if std::env::var_os("QCRS_ACCEPT").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in texts {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    let found = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for name in found.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        assert!(texts.iter().any(|(made, _)| *made == name), "{name}: no test makes it; remove the file");
    }
    let problems: Vec<String> =
        texts.iter().filter_map(|(name, text)| difference(&folder.join(name), text)).collect();
    assert!(
        problems.is_empty(),
        "{}\nif this is meant, rerun the test with QCRS_ACCEPT=1 and look at the result with git diff",
        problems.join("\n")
    );
}

/// The first line in which `text` is not what the file holds.
fn difference(path: &Path, text: &str) -> Option<String> {
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    if stored == text {
        return None;
    }
    let (mut was, mut is) = (stored.lines(), text.lines());
    for number in 1.. {
        let (was, is) = (was.next(), is.next());
        if was != is || was.is_none() {
            return Some(format!("{}, line {number}:\n  was {was:?}\n  is  {is:?}", path.display()));
        }
    }
    None
}
