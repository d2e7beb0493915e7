//! What programs at a terminal share.
//!
//! | module     | question it answers                                          |
//! |------------|--------------------------------------------------------------|
//! | `output`   | where do results and messages go?                            |
//! | `process`  | what may this program do to its process?                     |
//! | `args`     | what was typed: groups of options that several commands have |
//! | `progress` | how far are we, and how long will it take?                   |
//! | `setup`    | what it means: a model and images that fit together          |
//! | `certify`  | how is a run certified while somebody watches?               |

pub mod args;
pub mod certify;
pub mod output;
pub mod process;
pub mod progress;
pub mod setup;

/// The exit code of a program that was ended by Ctrl-C, as the shell counts it.
pub const INTERRUPTED: u8 = 130;
