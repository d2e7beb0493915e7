//! `qcrs paper bank`: what does a memory bank change in the answers of a result file?

mod copies;
mod order;

use super::keep;
use super::words::head;
use crate::args::{DataArgs, count};
use crate::output::{print, terminal};
use crate::progress::patiently;
use anyhow::{Context, ensure};
use copies::CopyQuery;
use order::{BankInputs, BankOrder, InOrder};
use qcrs::analysis::Table;
use qcrs::report::format::down;
use qcrs::report::{Sheet, SheetTable};
use std::path::PathBuf;

/// What was typed after `qcrs paper bank`.
#[derive(clap::Args)]
pub struct BankOrderArgs {
    /// A result file about these images: published, or the results.tsv of a run
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// How many certified images get perturbed copies
    #[arg(long, default_value_t = 200, value_name = "C", value_parser = count(1..))]
    copies: u32,
    /// The seed of the random directions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where tables and the page are kept
    #[arg(long, default_value = "paper", value_name = "DIR")]
    dir: PathBuf,
}

/// Sends all certificates through banks, then asks one of them about perturbed copies.
pub fn run(args: &BankOrderArgs) -> anyhow::Result<()> {
    let here = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).with_context(|| here.clone())?;
    let table = Table::from_tsv(here.clone(), &text)?;
    ensure!(table.labelled(), "{here}: the rows need labels, because the ACR is to be compared");
    let certificates = BankInputs::of(&table, args.data.open()?)?;
    let all = certificates.count();
    ensure!(all > 0, "{here}: no row is certified");
    let (mut orders, mut last) = (Vec::new(), None);
    for (order, scale) in
        [(InOrder::Rising, 1.0), (InOrder::Falling, 1.0), (InOrder::Rising, 2.0), (InOrder::Rising, 4.0)]
    {
        let what = format!("{all} certificates, {}", order.name(scale));
        let (result, bank) = patiently(&what, || BankOrder::of(&certificates, order, scale))?;
        orders.push(result);
        // the copies are asked of the bank of the true radii
        last = last.or(Some(bank));
    }
    let bank = last.context("there is a bank")?;
    let asked =
        patiently("perturbed copies", || copies::ask(&certificates, &bank, (args.copies, args.seed)))?;
    let sheet = sheet(&table, &orders, &asked);
    print(&sheet.text(terminal().width))?;
    keep(&args.dir, "bank", &sheet)
}

fn sheet(table: &Table, orders: &[BankOrder], asked: &copies::Copies) -> Sheet {
    Sheet {
        title: "Certificates in a memory bank".into(),
        warnings: vec![
            format!("{}: {} rows.", table.name, table.rows.len()),
            asked.distances(),
            "Scaled radii are not certified: they show how large radii must be before a bank changes anything.".into(),
            "A copy is an image moved by a multiple of its radius R, without clipping its pixels. It is offered to the bank \
             with a made-up certificate of radius R, for the class of the image or for that of the nearest ball of another \
             class, or with none. The bank is frozen meanwhile."
                .into(),
        ],
        figures: Vec::new(),
        tables: vec![in_order(orders), of_copies(&asked.queries)],
    }
}

fn in_order(orders: &[BankOrder]) -> SheetTable {
    let columns = [
        "order",
        "ACR before",
        "ACR after",
        "whole",
        "cut",
        "in an earlier ball",
        "nothing left",
        "no certificate",
        "balls",
        "pairs of other classes",
        "measured",
    ];
    let row = |order: &BankOrder| {
        let counts =
            [order.whole, order.cut, order.inside, order.nothing_left, order.none, order.checked.balls];
        let mut row = vec![order.name.clone(), down(order.before, 5), down(order.after, 5)];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([order.checked.pairs, order.checked.measured].map(|count| count.to_string()));
        row
    };
    let caption = "All certificates, one after the other";
    SheetTable { caption: caption.into(), head: head(&columns), rows: orders.iter().map(row).collect() }
}

fn of_copies(queries: &[CopyQuery]) -> SheetTable {
    let columns = [
        "distance",
        "direction",
        "certificate offered",
        "copies",
        "kept whole",
        "cut",
        "the ball's class",
        "abstains",
        "mean radius answered / R",
    ];
    let row = |query: &CopyQuery| {
        let counts = [query.copies, query.whole, query.cut, query.of_a_ball, query.abstains];
        let mut row = vec![format!("{} R", query.distance), query.direction.into(), query.offered.into()];
        row.extend(counts.map(|count| count.to_string()));
        row.push(down(query.radius, 3));
        row
    };
    let caption = "Perturbed copies of certified images";
    SheetTable { caption: caption.into(), head: head(&columns), rows: queries.iter().map(row).collect() }
}
