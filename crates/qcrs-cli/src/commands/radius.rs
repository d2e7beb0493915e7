//! `qcrs radius`: the calculator.

use crate::output::{self, Format};
use qcrs::bounds::{clopper_pearson_lower, clopper_pearson_upper, smallest_n};
use qcrs::radius;
use qcrs::settings::parse_count;
use qcrs::types::{Alpha, Sigma};
use serde_json::json;

/// What was typed after `qcrs radius`.
#[derive(clap::Args)]
pub struct RadiusArgs {
    /// Votes for the class
    #[arg(long, value_name = "K", value_parser = parse_count)]
    votes: u64,
    /// All votes
    #[arg(long, value_name = "N", value_parser = parse_count)]
    of: u64,
    /// The probability that the bound may be wrong
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// The noise level
    #[arg(long)]
    sigma: f64,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Prints bound and radius.
pub fn run(args: &RadiusArgs) -> anyhow::Result<()> {
    let &RadiusArgs { votes, of, format, .. } = args;
    let (alpha, sigma) = (Alpha::new(args.alpha)?, Sigma::new(args.sigma)?);
    let p_lower = clopper_pearson_lower(votes, of, alpha)?;
    let p_upper = clopper_pearson_upper(votes, of, alpha)?;
    let radius = radius::gaussian(p_lower, sigma)?;
    if format == Format::Json {
        let sigma = sigma.get();
        let alpha = alpha.get();
        return output::print_json(&json!({
            "votes": votes, "of": of, "alpha": alpha, "sigma": sigma,
            "p_lower": p_lower, "p_upper": p_upper, "certified": radius.is_some(), "radius": radius,
        }));
    }
    let answer = match radius {
        Some(radius) => format!("{radius}"),
        None if of < smallest_n(alpha) => {
            format!("none: at this α even a unanimous vote needs {} draws", smallest_n(alpha))
        }
        None => "none: the class may have less than half of the votes".into(),
    };
    output::print(&format!("p_lower  {p_lower}\np_upper  {p_upper}\nradius   {answer}"))
}
