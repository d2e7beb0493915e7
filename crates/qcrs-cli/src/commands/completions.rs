//! `qcrs completions`

use clap::CommandFactory;

/// How each shell gets them.
pub const INSTALL: &str = "\
Install:
  bash  qcrs completions bash > ~/.local/share/bash-completion/completions/qcrs
  zsh   qcrs completions zsh > ~/.zfunc/_qcrs   (with ~/.zfunc in fpath)
  fish  qcrs completions fish > ~/.config/fish/completions/qcrs.fish";

/// What was typed after `qcrs completions`.
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Writes the completions to stdout.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut crate::CommandLine::command(), "qcrs", &mut text);
    crate::output::print(&String::from_utf8(text)?)
}
