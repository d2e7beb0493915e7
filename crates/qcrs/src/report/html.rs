//! What stands on the one page that holds everything and needs nothing else?

use super::grid::TextGrid;
use super::words::{ceilings, guarantee_in_words, incomplete, rounding_in_words};
use super::{Picture, Terminal, by_sigma, figures, gains, svg, tables};
use crate::analysis::{Analysis, Curve, Summary, Table, not_verified};
use crate::run::Guarantee;
use crate::types::Error;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minijinja::{Environment, Value, context};

const TEMPLATES: [(&str, &str); 6] = [
    ("head.html", include_str!("templates/head.html")),
    ("table.html", include_str!("templates/table.html")),
    ("page.html", include_str!("templates/page.html")),
    ("sheet.html", include_str!("templates/sheet.html")),
    ("section.html", include_str!("templates/section.html")),
    ("sections.html", include_str!("templates/sections.html")),
];

/// The tables of more runs are folded, except the results.
const CROWDED: usize = 8;

/// What to put on a page.
pub struct Page<'a> {
    /// Its title.
    pub title: &'a str,
    /// The numbers.
    pub analysis: &'a Analysis,
    /// σ–radius curves of chosen inputs; may be empty.
    pub curves: &'a [Curve],
    /// Images of chosen inputs; may be empty.
    pub pictures: &'a [Picture],
}

/// A self-contained HTML page: no script, no address outside itself, light and dark, any width.
pub fn html(page: &Page) -> Result<String, Error> {
    render("page.html", values(page)?)
}

/// Fills in a template. Their names end in .html, so all text is escaped; only our own SVG and CSS are marked
/// safe.
pub(super) fn render(name: &str, values: Value) -> Result<String, Error> {
    let mut environment = Environment::new();
    let all = TEMPLATES.into_iter().try_for_each(|(name, source)| environment.add_template(name, source));
    let rendered = all.and_then(|()| environment.get_template(name)).and_then(|page| page.render(values));
    rendered.map_err(|error| Error::Invalid(format!("the page could not be written: {error:#}")))
}

fn values(page: &Page) -> Result<Value, Error> {
    let analysis = page.analysis;
    let figures = figures::all(analysis, page.curves, None)?;
    let (curves, others): (Vec<_>, Vec<_>) =
        figures.iter().partition(|(name, _)| name.starts_with("sigma-radius"));
    let (answers, main): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(name, _)| name.starts_with("answers-"));
    let of_curves = by_sigma::of_curves(analysis, page.curves).map(|answers| answers.warnings());
    let of_curves = of_curves.unwrap_or_default().into_iter().map(|warning| format!("curves: {warning}."));
    let classes = analysis.summaries.iter().zip(&analysis.classes).filter(|(_, rows)| !rows.is_empty());
    let mut notes: Vec<String> = ceilings(analysis, &Terminal::default()).into_iter().collect();
    notes.extend_from_slice(&analysis.notes);
    let runs = analysis.tables.iter().zip(&analysis.summaries).map(run).collect::<Result<Vec<_>, _>>()?;
    Ok(context! {
        title => page.title,
        style => Value::from_safe_string(include_str!("templates/page.css").to_owned() + svg::STYLE),
        numbers => tables::short(analysis).iter().map(TextGrid::value).collect::<Vec<_>>(),
        legend => tables::legend(analysis).join(" "),
        warnings => analysis.warnings.iter().cloned().chain(of_curves).collect::<Vec<_>>(),
        notes,
        figures => main.into_iter().map(figure).collect::<Vec<_>>(),
        answers => answers.into_iter().map(figure).collect::<Vec<_>>(),
        curves => curves.into_iter().map(figure).collect::<Vec<_>>(),
        pictures => page.pictures.iter().map(picture).collect::<Vec<_>>(),
        classes => classes.map(|(summary, rows)| tables::classes(summary, rows).value()).collect::<Vec<_>>(),
        labels => gains::by_label(analysis).iter().map(TextGrid::value).collect::<Vec<_>>(),
        open => analysis.tables.len() <= 2,
        unverified => not_verified(&analysis.tables),
        crowded => analysis.tables.len() > CROWDED,
        promises => promises(analysis),
        runs,
    })
}

fn figure((name, svg): &(String, String)) -> Value {
    context! { name, svg => Value::from_safe_string(svg.clone()) }
}

fn picture(picture: &Picture) -> Value {
    // base64 has no character to escape
    let address = |png: &[u8]| {
        Value::from_safe_string(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png)))
    };
    context! {
        name => picture.name.clone(),
        label_name => picture.label_name.clone(),
        clean => address(&picture.clean_png),
        noisy => address(&picture.noisy_png),
        caption => picture.caption.clone(),
        run => picture.run.clone(),
    }
}

fn run((table, summary): (&Table, &Summary)) -> Result<Value, Error> {
    let spec = table.spec.as_ref().map(serde_json::to_string_pretty).transpose();
    let spec = spec.map_err(|error| Error::Invalid(format!("{}: its spec: {error}", table.name)))?;
    Ok(context! { name => table.name.clone(), incomplete => incomplete(summary), spec })
}

/// Every promise once, with the runs that make it.
fn promises(analysis: &Analysis) -> Vec<Value> {
    let all = Guarantee::ALL.map(Some).into_iter().chain([None]);
    let promise = |promise: Option<Guarantee>| {
        let making = analysis.tables.iter().filter(|table| table.guarantee == promise);
        let names: Vec<&str> = making.map(|table| table.name.as_str()).collect();
        let words = guarantee_in_words(promise);
        (!names.is_empty()).then(|| context! { words, runs => names.join(", ") })
    };
    let rounding = rounding_in_words(analysis)
        .into_iter()
        .map(|(words, runs)| context! { words, runs => runs.join(", ") });
    all.filter_map(promise).chain(rounding).collect()
}
