//! How far is the training, and how long will it take?

use super::stop::StopSignal;
use anyhow::Result;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use qcrs_train::Error;
use qcrs_train::evaluate::CorrectCount;
use qcrs_train::log::Epoch;
use qcrs_train::network::Network;
use qcrs_train::train::{Event, Training};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const IN_A_PIPE: Duration = Duration::from_mins(1);

/// Trains with a bar on a terminal, a line now and then elsewhere, and a line per epoch; until `signal`.
pub fn show(training: &Training<'_>, quiet: bool, signal: &StopSignal) -> Result<Network> {
    let terminal = std::io::stderr().is_terminal();
    let mut screen = Screen { bar: bar(quiet || !terminal), quiet, lines: !terminal, spoken: Instant::now() };
    let mut place = (0, 0);
    let network = training.run(&mut |event| {
        screen.show(event, training.settings.epochs);
        if let Event::Resumed { step, of, .. } | Event::Step { step, of, .. } = event {
            place = (*step, *of);
        }
        if signal.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    screen.bar.finish_and_clear();
    let (folder, (step, of)) = (training.folder.display(), place);
    network.map_err(|error| {
        let what = match error {
            Error::Interrupted => {
                format!("interrupted after step {step} of {of}, saved in {folder}; run the same command again to resume")
            }
            _ => format!("training in {folder} stopped"),
        };
        anyhow::Error::new(error).context(what)
    })
}

fn bar(hidden: bool) -> ProgressBar {
    let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::new(0) };
    if let Ok(style) =
        ProgressStyle::with_template("{bar:28} {percent}%  {elapsed} passed, {eta} to go  {msg}")
    {
        bar.set_style(style);
    }
    bar
}

struct Screen {
    bar: ProgressBar,
    quiet: bool,
    /// Whether lines replace the bar, because there is no terminal.
    lines: bool,
    spoken: Instant,
}

impl Screen {
    fn show(&mut self, event: &Event, epochs: usize) {
        match event {
            Event::Resumed { step, of, missing } => {
                self.bar.set_position(*step as u64);
                self.bar.reset_eta();
                self.say(&format!("resuming after step {step} of {of}"));
                if *missing > 0 {
                    self.say(&format!(
                        "the log lacks {missing} epochs before that; the weights include them"
                    ));
                }
            }
            Event::Step { step, of, loss } => {
                self.bar.set_length(*of as u64);
                self.bar.set_position(*step as u64);
                self.bar.set_message(format!("loss {loss:.3}"));
                if self.lines && self.spoken.elapsed() > IN_A_PIPE {
                    self.say(&format!("step {step} of {of}, loss {loss:.3}, {} to go", self.left()));
                }
            }
            Event::Epoch(epoch) => {
                let line = words(epoch, epochs);
                self.say(&format!("{line}, {} to go", self.left()));
            }
        }
    }

    fn left(&self) -> HumanDuration {
        HumanDuration(self.bar.eta())
    }

    fn say(&mut self, text: &str) {
        self.spoken = Instant::now();
        if !self.quiet {
            self.bar.suspend(|| eprintln!("{text}"));
        }
    }
}

fn words(epoch: &Epoch, epochs: usize) -> String {
    let percent =
        |count: CorrectCount| count.share().map_or("–".into(), |share| format!("{:.1} %", 100.0 * share));
    let Epoch { epoch: number, loss, images_per_second, .. } = epoch;
    format!(
        "epoch {number:>3} of {epochs}: loss {loss:.4}, training {}, held out {} under noise, {} clean; \
         {images_per_second:.0} images/s",
        percent(epoch.training),
        percent(epoch.held_out_noisy),
        percent(epoch.held_out_clean),
    )
}
