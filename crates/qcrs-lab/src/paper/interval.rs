//! How wide is the Clopper-Pearson interval? (Appendix H)

use super::lab::Lab;
use super::words::head;
use qcrs::bounds::{clopper_pearson_lower, clopper_pearson_upper};
use qcrs::report::format::{down, up};
use qcrs::report::plot::{Mark, Plot, Series};
use qcrs::report::{Sheet, SheetTable};

/// The interval of a share seen in 500 and in 100,000 draws; no forward pass is made.
pub fn intervals(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let alpha = lab.budget.alpha();
    let counts = [500_u64, 100_000];
    let ends = |share: f64, n: u64| -> anyhow::Result<(f64, f64)> {
        let k = (share * n as f64).round() as u64;
        Ok((clopper_pearson_lower(k, n, alpha)?, clopper_pearson_upper(k, n, alpha)?))
    };
    let mut rows = Vec::new();
    for share in [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.998, 1.0] {
        let mut row = vec![share.to_string()];
        for n in counts {
            let (low, high) = ends(share, n)?;
            row.extend([format!("[{}, {}]", down(low, 5), up(high, 5)), up(high - low, 5)]);
        }
        rows.push(row);
    }
    let mut series = Vec::new();
    for (style, n) in counts.into_iter().enumerate() {
        let band = |at: u32| {
            let share = f64::from(at) / 100.0;
            ends(share, n).map(|(low, high)| (share, low, high))
        };
        let band = (50..=100).map(band).collect::<Result<Vec<_>, _>>()?;
        let low = band.iter().map(|(share, low, _)| (*share, *low)).collect();
        let high = band.iter().map(|(share, _, high)| (*share, *high)).collect();
        let marks = vec![Mark::Band(band), Mark::Line(low), Mark::Line(high)];
        series.push(Series { name: format!("{n} draws"), style, marks });
    }
    let figure = Plot {
        title: "Interval of p by the share seen".into(),
        desc: "Two bands around the diagonal: a wide one for 500 draws, a thin one for 100,000.".into(),
        x_label: "share of votes seen",
        y_label: "probability",
        whole_x: false,
        x: (0.5, 1.0),
        y: (0.4, 1.0),
        series,
        notes: Vec::new(),
    };
    Ok(Sheet {
        title: "Clopper-Pearson interval by n (appendix H)".into(),
        warnings: vec![format!("Each end holds with probability 1 − {}.", alpha.get())],
        figures: vec![figure.into()],
        tables: vec![SheetTable {
            caption: "Intervals".into(),
            head: head(&["share seen", "500 draws", "width", "100,000 draws", "width"]),
            rows,
        }],
    })
}
