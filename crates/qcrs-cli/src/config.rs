//! A TOML file can hold the options of a command:
//!
//! ```toml
//! [certify]
//! model = "resnet20.onnx"
//! sigma = 0.25
//! ```
//!
//! Its options are put before the typed ones, and the last one counts if an option is given twice.

use crate::CommandLine;
use anyhow::{Context, bail};
use clap::CommandFactory;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The arguments with the options of `--config FILE` put in.
pub fn expand(typed: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    let Some(at) = command_position(&typed) else { return Ok(typed) };
    let name = typed[at].to_string_lossy();
    // arguments after `train` belong to the trainer
    let ours = if name == "train" { &typed[..at] } else { &typed[..] };
    let Some(path) = config_path(ours) else { return Ok(typed) };
    let options = if name == "train" { None } else { options(&path, &name)? };
    let has_parts =
        CommandLine::command().find_subcommand(&*name).is_some_and(clap::Command::is_subcommand_required_set);
    if name == "train" || (has_parts && options.is_some()) {
        bail!("{}: `{name}` takes no options from a file; type them on the command line", path.display());
    }
    let options = options.unwrap_or_default();
    let mut all = typed;
    all.splice(at + 1..=at, options.into_iter().map(OsString::from));
    Ok(all)
}

fn config_path(args: &[OsString]) -> Option<PathBuf> {
    args.iter().enumerate().find_map(|(i, arg)| match arg.to_str()? {
        "--config" => args.get(i + 1).map(PathBuf::from),
        text => text.strip_prefix("--config=").map(PathBuf::from),
    })
}

/// The first word that is neither an option nor the value of `--config`.
fn command_position(args: &[OsString]) -> Option<usize> {
    (1..args.len()).find(|&i| args[i - 1] != "--config" && !args[i].to_string_lossy().starts_with('-'))
}

/// The options of `command`, if the file has any.
fn options(path: &Path, command: &str) -> anyhow::Result<Option<Vec<String>>> {
    let here = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(here)?;
    let file: toml::Table = text.parse().with_context(here)?;
    for (key, value) in &file {
        if CommandLine::command().find_subcommand(key).is_none() {
            bail!(
                "{}: `{key}` is not a command; write options below the name of a command, as in [certify]",
                here()
            );
        }
        if !value.is_table() {
            bail!("{}: `{key}` must be a table; write [{key}] above its options", here());
        }
    }
    let Some(toml::Value::Table(table)) = file.get(command) else { return Ok(None) };
    let all = CommandLine::command();
    let known = |key: &str| {
        let arguments = all.find_subcommand(command).into_iter().flat_map(clap::Command::get_arguments);
        let mut names = arguments.chain(all.get_arguments()).flat_map(|argument| {
            argument.get_long().into_iter().chain(argument.get_all_aliases().unwrap_or_default())
        });
        key != "config" && names.any(|name| name == key) // one file only
    };
    let mut options = Vec::new();
    for (key, value) in table {
        if !known(key) {
            bail!("{}: [{command}] has no option `{key}`; see 'qcrs {command} --help'", here());
        }
        let values = match value {
            toml::Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        for value in values {
            match value {
                toml::Value::Boolean(true) => options.push(format!("--{key}")),
                toml::Value::Boolean(false) => {}
                toml::Value::String(text) => options.push(format!("--{key}={text}")),
                toml::Value::Integer(number) => options.push(format!("--{key}={number}")),
                toml::Value::Float(number) => options.push(format!("--{key}={number}")),
                _ => bail!("{}: [{command}] {key} must be a string, a number or true", here()),
            }
        }
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str, typed: &[&str]) -> anyhow::Result<Vec<String>> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), text)?;
        let path = file.path().to_str().unwrap();
        let typed = typed.iter().map(|arg| arg.replace("FILE", path).into()).collect();
        Ok(expand(typed)?.into_iter().map(|arg| arg.into_string().unwrap().replace(path, "FILE")).collect())
    }

    #[test]
    fn options_of_the_file_stand_before_the_typed_ones() {
        let text = "[certify]\nsigma = 0.25\nn = 1000\nquiet = true\nmodel = 'a b.onnx'\n[report]\nradii = [0.25, 0.5]";
        let got = expanded(text, &["qcrs", "--config", "FILE", "certify", "--n", "5"]).unwrap();
        assert_eq!(got[..4], ["qcrs", "--config", "FILE", "certify"]);
        assert_eq!(got[4..], ["--model=a b.onnx", "--n=1000", "--quiet", "--sigma=0.25", "--n", "5"]);
        let got = expanded(text, &["qcrs", "report", "--config=FILE", "x"]).unwrap();
        assert_eq!(got, ["qcrs", "report", "--radii=0.25", "--radii=0.5", "--config=FILE", "x"]);
    }

    #[test]
    fn not_every_command_reads_a_file() {
        for typed in
            [["qcrs", "--config=FILE", "bank", "check"], ["qcrs", "--config=FILE", "train", "gaussian"]]
        {
            let error = format!("{:#}", expanded("[bank]\n[train]", &typed).unwrap_err());
            assert!(error.contains("takes no options from a file"), "{error}");
        }
        assert!(expanded("[certify]\nn = 5", &["qcrs", "--config=FILE", "bank", "check"]).is_ok());
    }
}
