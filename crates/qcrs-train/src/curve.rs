//! How did it go? The course of a training as figures and as a page.

use crate::card::Data;
use crate::evaluate::CorrectCount;
use crate::log::Epoch;
use crate::recipe::TrainingSettings;
use qcrs::files;
use qcrs::report::plot::{Mark, Plot, Series, stacked};
use qcrs::report::{Sheet, SheetTable};
use qcrs::types::Error;
use serde_json::Value;
use std::path::Path;

/// The figures' name in a training's folder.
pub const SVG: &str = "curve.svg";
/// The page's name in a training's folder.
pub const PAGE: &str = "curve.html";

/// A training so far.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// Its images.
    pub data: &'a Data,
    /// Everything else its weights depend on.
    pub settings: &'a TrainingSettings,
    /// The epochs behind it; may be none.
    pub epochs: &'a [Epoch],
}

impl Course<'_> {
    /// Writes figures and page into the training's folder, each whole or not at all.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        files::write(&folder.join(SVG), self.svg().as_bytes())?;
        files::write(&folder.join(PAGE), self.html()?.as_bytes())
    }

    /// Loss, accuracy and learning rate by epoch, below each other in one SVG file.
    pub fn svg(&self) -> String {
        stacked(&self.title(), &self.figures())
    }

    /// The same figures with the settings and a table of the epochs, on a page that needs nothing else.
    pub fn html(&self) -> Result<String, Error> {
        Sheet {
            title: self.title(),
            warnings: self.unfinished().into_iter().collect(),
            figures: self.figures().into_iter().map(Into::into).collect(),
            tables: vec![self.table(), self.settings()?],
        }
        .html()
    }

    fn title(&self) -> String {
        let TrainingSettings { architecture, sigma, .. } = self.settings;
        format!("{architecture} on {}, σ = {sigma}", self.data.name)
    }

    fn unfinished(&self) -> Option<String> {
        let (passed, all) = (self.epochs.len(), self.settings.epochs);
        (passed < all).then(|| format!("unfinished: {passed} of {all} epochs"))
    }

    fn figures(&self) -> Vec<Plot> {
        let loss = self.series(0, "mean loss of the steps", |epoch| Some(epoch.loss));
        let accuracy = [
            self.series(0, "training images under noise, while learning", |epoch| epoch.training.share()),
            self.series(1, "held-out images under noise", |epoch| epoch.held_out_noisy.share()),
            self.series(2, "held-out images without noise", |epoch| epoch.held_out_clean.share()),
        ];
        let rate = self.series(0, "learning rate at the end of the epoch", |epoch| Some(epoch.learning_rate));
        let top = |of: fn(&Epoch) -> f64| self.epochs.iter().map(of).fold(0.0, f64::max);
        let roomy = |top: f64| (0.0, if top > 0.0 { 1.06 * top } else { 1.0 });
        vec![
            self.plot("Loss", "loss", roomy(top(|epoch| epoch.loss)), vec![loss]),
            self.plot("Accuracy", "share classified rightly", (0.0, 1.0), accuracy.into()),
            self.plot("Learning rate", "learning rate", roomy(top(|epoch| epoch.learning_rate)), vec![rate]),
        ]
    }

    fn plot(&self, title: &str, y_label: &'static str, y: (f64, f64), series: Vec<Option<Series>>) -> Plot {
        let series: Vec<Series> = series.into_iter().flatten().collect();
        let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
        Plot {
            title: title.into(),
            desc: format!("{title} by epoch: {}.", names.join("; ")),
            x_label: "epoch",
            y_label,
            whole_x: true,
            // all epochs, also those still to come: the eye sees how far it is
            x: (0.0, self.settings.epochs as f64),
            y,
            series,
            notes: self.unfinished().into_iter().collect(),
        }
    }

    /// A line over the epochs; none where there is nothing to show, as without held-out images.
    fn series(&self, style: usize, name: &str, value: fn(&Epoch) -> Option<f64>) -> Option<Series> {
        let point = |epoch: &Epoch| Some((epoch.epoch as f64, value(epoch)?));
        let points: Vec<(f64, f64)> = self.epochs.iter().filter_map(point).collect();
        let marks = match points.len() {
            0 => return None,
            // a line of one point cannot be seen
            1 => vec![Mark::Line(points.clone()), Mark::Dots(points)],
            _ => vec![Mark::Line(points)],
        };
        Some(Series { name: name.into(), style, marks })
    }

    fn table(&self) -> SheetTable {
        let head = ["epoch", "loss", "training", "held out, noisy", "held out, clean", "learning rate"];
        let head = head.into_iter().chain(["seconds", "images/s"]).map(Into::into).collect();
        let percent = |count: CorrectCount| {
            count.share().map_or("–".into(), |share| format!("{:.1} %", 100.0 * share))
        };
        let row = |epoch: &Epoch| {
            vec![
                epoch.epoch.to_string(),
                format!("{:.4}", epoch.loss),
                percent(epoch.training),
                percent(epoch.held_out_noisy),
                percent(epoch.held_out_clean),
                format!("{:.3e}", epoch.learning_rate),
                format!("{:.0}", epoch.seconds),
                format!("{:.0}", epoch.images_per_second),
            ]
        };
        SheetTable { caption: "Epochs".into(), head, rows: self.epochs.iter().map(row).collect() }
    }

    fn settings(&self) -> Result<SheetTable, Error> {
        let broken = |error: serde_json::Error| Error::Invalid(format!("the settings: {error}"));
        let mut rows = vec![
            vec!["data".into(), self.data.name.clone()],
            vec!["data_blake3".into(), self.data.blake3.clone()],
        ];
        if let Value::Object(settings) = serde_json::to_value(self.settings).map_err(broken)? {
            let text = |value: Value| match value {
                Value::String(text) => text,
                Value::Null => "–".into(),
                value => value.to_string(),
            };
            rows.extend(settings.into_iter().map(|(name, value)| vec![name, text(value)]));
        }
        Ok(SheetTable { caption: "Settings".into(), head: vec!["setting".into(), "value".into()], rows })
    }
}
