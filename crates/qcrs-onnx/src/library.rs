//! Where is onnxruntime?
//!
//! Only absolute paths are ever tried, and none depends on where the program was started: a library in the
//! working directory could come from anyone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the library directly.
pub(crate) const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Where the search may look.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// `ORT_DYLIB_PATH`.
    pub(crate) named: Option<OsString>,
    /// The active Python environments.
    pub(crate) environments: Vec<PathBuf>,
    /// A Python to ask where its packages are.
    pub(crate) python: Option<PathBuf>,
    /// Folders of libraries.
    pub(crate) folders: Vec<PathBuf>,
}

impl Places {
    /// The usual places for this process.
    pub(crate) fn usual() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let mut folders: Vec<PathBuf> =
            ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/opt/homebrew/lib"].map(Into::into).into();
        folders.push(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH).into());
        if let Some(home) = std::env::home_dir() {
            folders.push(home.join(".local/lib"));
            folders.extend(packages(&home.join(".local")));
        }
        Self {
            named: variable(VARIABLE),
            environments: ["VIRTUAL_ENV", "CONDA_PREFIX"]
                .into_iter()
                .filter_map(variable)
                .map(PathBuf::from)
                .collect(),
            python: variable("PATH").and_then(|path| python_on(&path)),
            folders,
        }
    }

    /// The libraries to try, in order; an error when one was named and cannot be used.
    pub(crate) fn candidates(&self) -> Result<Vec<PathBuf>, String> {
        if let Some(named) = &self.named {
            let path = PathBuf::from(named);
            if !path.is_absolute() {
                let shown = path.display();
                return Err(format!(
                    "{VARIABLE} is `{shown}`, a relative path; give the library's absolute path"
                ));
            }
            if !path.is_file() {
                return Err(format!("{VARIABLE} is `{}`, which is not a file", path.display()));
            }
            return Ok(vec![path]);
        }
        let mut folders: Vec<_> = self.environments.iter().flat_map(|root| packages(root)).collect();
        folders.extend(self.python.as_deref().and_then(ask));
        folders.extend(self.folders.iter().cloned());
        let mut found = Vec::new();
        for file in
            folders.iter().filter(|folder| folder.is_absolute()).flat_map(|folder| libraries_in(folder))
        {
            if !found.contains(&file) {
                found.push(file);
            }
        }
        Ok(found)
    }
}

/// Where the Python packages under `root` would keep the library.
fn packages(root: &Path) -> Vec<PathBuf> {
    let mut roots = vec![root.join("Lib")]; // Windows
    roots.extend(
        sorted(&root.join("lib")).into_iter().filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3"))
        }),
    );
    roots.into_iter().map(|lib| lib.join("site-packages/onnxruntime/capi")).collect()
}

/// Asks a Python for the package's folder without importing it. Isolated mode (`-I`) keeps the working
/// directory and the PYTHON* variables out of its search path.
fn ask(python: &Path) -> Option<PathBuf> {
    const QUESTION: &str = "import importlib.util as u; s = u.find_spec('onnxruntime'); \
                            print(next(iter(s.submodule_search_locations or []), '') if s else '')";
    let output =
        Command::new(python).args(["-I", "-c", QUESTION]).current_dir(python.parent()?).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let package = text.trim();
    (output.status.success() && !package.is_empty()).then(|| Path::new(package).join("capi"))
}

/// The first Python in an absolute folder of PATH.
fn python_on(path: &OsString) -> Option<PathBuf> {
    let name = if cfg!(windows) { "python.exe" } else { "python3" };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|p| p.is_file())
}

fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unix = name.starts_with("libonnxruntime.so");
        let mac = name.starts_with("libonnxruntime.") && path.extension().is_some_and(|e| e == "dylib");
        unix || mac || name == "onnxruntime.dll"
    };
    sorted(folder).into_iter().filter(is_library).collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn touch(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        path.to_owned()
    }

    #[test]
    fn a_relative_path_is_never_a_candidate() {
        let named = |name: &str| Places { named: Some(name.into()), ..Places::default() }.candidates();
        assert!(named("lib/libonnxruntime.so").unwrap_err().contains("relative"));
        assert!(named("libonnxruntime.so").unwrap_err().contains("absolute"));
        assert!(named("/no/such/libonnxruntime.so").unwrap_err().contains("not a file"));
        // this crate's own folder is the working directory of its tests
        let dir = tempfile::tempdir_in(".").unwrap();
        let relative = PathBuf::from(dir.path().file_name().unwrap());
        touch(&relative.join("libonnxruntime.so"));
        touch(&relative.join("lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime.so"));
        touch(&relative.join(if cfg!(windows) { "python.exe" } else { "python3" }));
        let path = std::env::join_paths([&relative, Path::new("")]).unwrap();
        assert_eq!(python_on(&path), None);
        let places = Places {
            environments: vec![relative.clone()],
            folders: vec![relative, "".into()],
            ..Places::default()
        };
        assert_eq!(places.candidates().unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn environments_come_before_system_folders() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let in_venv =
            touch(&root.join("venv/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.31.1"));
        touch(
            &root.join(
                "venv/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime_providers_shared.so",
            ),
        );
        let in_system = touch(&root.join("usr/libonnxruntime.1.20.0.dylib"));
        let mut places = Places {
            environments: vec![root.join("venv")],
            folders: vec![root.join("usr")],
            ..Places::default()
        };
        assert_eq!(places.candidates().unwrap(), [in_venv, in_system.clone()]);
        places.named = Some(in_system.clone().into());
        assert_eq!(places.candidates().unwrap(), [in_system]);
    }
}
