//! What becomes of a PyTorch checkpoint?

use anyhow::Result;
use clap::Args;
use clap::builder::BoolishValueParser;
use qcrs_train::architecture::Architecture;
use qcrs_train::import::{self, ImportCard, Told};
use qcrs_train::onnx;
use std::path::PathBuf;

/// The options of `import`.
#[derive(Args)]
pub struct ImportOptions {
    /// The checkpoint, as torch.save wrote it
    file: PathBuf,
    /// The file to write the model to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// resnet20, resnet110, resnet50 …; by default the one that the file names
    #[arg(long)]
    arch: Option<Architecture>,
    /// The number of classes, as a check; it is read from the last layer
    #[arg(long)]
    classes: Option<usize>,
    /// The noise level of its training, for the record
    #[arg(long, allow_negative_numbers = true)]
    sigma: Option<f64>,
    /// Whether the network normalises pixels itself; known for the checkpoints of Cohen et al. (yes) and MACER (no)
    #[arg(long, alias = "normalize", value_name = "yes|no", value_parser = BoolishValueParser::new())]
    normalise: Option<bool>,
}

/// Reads the checkpoint and writes the model.
pub fn run(options: &ImportOptions) -> Result<()> {
    let ImportOptions { file, out, arch, classes, sigma, normalise } = options;
    if same(file, out) {
        return super::refuse(format!(
            "--out {} is the checkpoint itself; choose another name",
            out.display()
        ));
    }
    let told = Told { architecture: *arch, classes: *classes, normalised: *normalise, sigma: *sigma };
    let (network, card) = import::read(file, &told)?;
    onnx::write(out, &network, &card.metadata()?)?;
    eprintln!("{}", words(&card));
    println!("{}", out.display());
    Ok(())
}

fn same(one: &std::path::Path, two: &std::path::Path) -> bool {
    one.canonicalize().ok().zip(two.canonicalize().ok()).is_some_and(|(one, two)| one == two)
}

fn words(card: &ImportCard) -> String {
    let ImportCard { architecture, classes, parameters, .. } = card;
    let pixels = if card.normalised { "normalised by the model" } else { "taken as they are" };
    format!(
        "{architecture} with {classes} classes and {parameters} parameters, layout: {}, pixels: {pixels}",
        card.imported.field
    )
}
