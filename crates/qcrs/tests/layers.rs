//! The layer order in the crate documentation, enforced.

use std::path::Path;

/// A module may use itself and whatever stands above it in that table; `testing` is for users and tests.
#[test]
fn modules_use_only_the_ones_above_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let documentation = std::fs::read_to_string(src.join("lib.rs")).unwrap();
    let row = |line: &str| Some(line.strip_prefix("//! | `")?.split_once('`')?.0.to_owned());
    let order: Vec<String> = documentation.lines().filter_map(row).collect();
    let rank = |name: &str| {
        order.iter().position(|module| module == name).unwrap_or_else(|| panic!("unlisted module {name}"))
    };
    let mut looked_at = 0;
    for (name, text) in sources(&src) {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for place in code.match_indices("crate::").map(|(at, found)| &code[at + found.len()..]) {
            let used: String = place.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(used == name || rank(&used) < rank(&name), "`{name}` may not use `{used}`");
            looked_at += 1;
        }
    }
    assert!(looked_at > 40, "only {looked_at} uses found: does this test still read the sources?");
}

/// Every source file with the name of its top module.
fn sources(src: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(sources(&path).into_iter().map(|(_, text)| (name.clone(), text)));
        } else if name != "lib" && path.extension().is_some_and(|extension| extension == "rs") {
            found.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}
