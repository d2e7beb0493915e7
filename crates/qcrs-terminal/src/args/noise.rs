//! How is noise drawn?

use qcrs::noise::NoiseChoice;

/// For commands that take no other settings of a certificate.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct NoiseArgs {
    /// How noise is drawn: in whole steps of the pixels, or in floats, where certificates do not cover rounding
    #[arg(long, default_value = "lattice", value_name = "lattice|float")]
    pub noise: NoiseChoice,
}
