//! How far are we, and how long will it take?

use indicatif::{ProgressBar, ProgressStyle};
use qcrs_train::Error;
use qcrs_train::evaluate::Count;
use qcrs_train::network::Network;
use qcrs_train::train::{Event, Training};
use std::io::IsTerminal;
use std::ops::ControlFlow;

/// Trains with a bar on a terminal and a line per epoch everywhere.
pub fn show(training: &Training<'_>, quiet: bool) -> Result<Network, Error> {
    let bar =
        if quiet || !std::io::stderr().is_terminal() { ProgressBar::hidden() } else { ProgressBar::new(0) };
    if let Ok(style) =
        ProgressStyle::with_template("{bar:28} {percent}%  {elapsed} passed, {eta} to go  {msg}")
    {
        bar.set_style(style);
    }
    let network = training.run(&mut |event| {
        match event {
            Event::Resumed { step, of } => {
                bar.set_position(*step as u64);
                bar.reset_eta();
                say(quiet, &bar, format!("going on after step {step} of {of}"));
            }
            Event::Step { step, of, loss } => {
                bar.set_length(*of as u64);
                bar.set_position(*step as u64);
                bar.set_message(format!("loss {loss:.3}"));
            }
            Event::Epoch(epoch) => {
                let qcrs_train::log::Epoch { loss, images_per_second, .. } = epoch;
                let percent = |count: Count| count.share().map_or("–".into(), |share| format!("{:.1} %", 100.0 * share));
                let epochs = training.settings.epochs;
                let left = epoch.seconds * (epochs - epoch.epoch) as f64;
                let text = format!(
                    "epoch {:>3} of {epochs}: loss {loss:.4}, training {}, held out {} under noise, {} clean; {images_per_second:.0} images/s, {} min to go",
                    epoch.epoch,
                    percent(epoch.training),
                    percent(epoch.held_out_noisy),
                    percent(epoch.held_out_clean),
                    (left / 60.0).ceil(),
                );
                say(quiet, &bar, text);
            }
        }
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    network
}

fn say(quiet: bool, bar: &ProgressBar, text: String) {
    if !quiet {
        bar.suspend(|| eprintln!("{text}"));
    }
}
