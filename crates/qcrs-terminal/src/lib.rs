//! What programs at a terminal share.
//!
//! | module     | question it answers                                          |
//! |------------|--------------------------------------------------------------|
//! | `output`   | where do results and messages go?                            |
//! | `process`  | what may this program do to its process?                     |
//! | `settings` | what do the options about model and data mean?               |
//! | `args`     | what was typed: groups of options that several commands have |
//! | `progress` | how far are we, and how long will it take?                   |
//! | `setup`    | do the model and the images fit together?                    |
//! | `certify`  | how is a run certified with its progress on a terminal?      |

pub mod args;
pub mod certify;
pub mod output;
pub mod process;
pub mod progress;
pub mod settings;
pub mod setup;

/// The exit code of a program that was ended by Ctrl-C, as the shell counts it.
pub const INTERRUPTED: u8 = 130;
