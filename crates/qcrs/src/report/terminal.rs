//! Where is text shown, and how are settings written there?

/// A place for text: its width, and how its readers write a setting.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Columns. Tables that need more are continued below, and sentences are wrapped.
    pub width: usize,
    /// How the setting of a name is written: `n` in a program, `--n` at a command line.
    pub setting: fn(&str) -> String,
}

impl Default for Terminal {
    /// 80 columns, for a reader who writes programs.
    fn default() -> Self {
        Self { width: 80, setting: str::to_owned }
    }
}
