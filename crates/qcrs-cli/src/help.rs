//! Which options does `-h` leave to `--help`?

use clap::Command;
use qcrs::method::METHODS;

/// Options that few people need, by their names in every command. The settings of single methods are such
/// options too.
const RARE: [&str; 48] = [
    "accept",
    "allow-fewer-classes",
    "alpha",
    "at-radius",
    "bank",
    "batch",
    "bgr",
    "bound",
    "channels",
    "classes",
    "config",
    "crop",
    "curves",
    "device",
    "engine",
    "figure",
    "generalized",
    "growth",
    "labels",
    "layout",
    "left",
    "macer",
    "majority",
    "max",
    "n0",
    "no-times",
    "noise",
    "noise-per-sigma",
    "of-class",
    "offset",
    "one-class",
    "output",
    "peak",
    "peer",
    "plan",
    "precision",
    "python",
    "range",
    "resize",
    "right",
    "rounds",
    "seconds",
    "seed",
    "shape",
    "shard",
    "sigmas",
    "split",
    "threads",
];

/// The command with a short `-h`: it fits two screens, and `--help` has everything.
pub fn shorten(command: Command) -> Command {
    let is_rare = |name: &str| {
        RARE.contains(&name)
            || METHODS.iter().flat_map(|m| m.settings).any(|own| own.name.replace('_', "-") == name)
    };
    command.mut_subcommands(|command| {
        // a short list needs no shorter one
        if command.get_arguments().count() <= 12 {
            return command;
        }
        command.mut_args(|arg| {
            let rare = arg.get_long().is_some_and(is_rare);
            let hidden = arg.is_hide_short_help_set();
            arg.hide_short_help(rare || hidden)
        })
    })
}
