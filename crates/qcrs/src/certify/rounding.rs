//! Do certificates hold for what a computer computes, or for real numbers only?

use crate::noise::{Lattice, Noise, NoiseKind};
use serde::{Deserialize, Serialize};

/// What certificates say about rounding (docs/guarantees.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// They hold for every image on the lattice that is closer than the radius.
    Covered(Lattice),
    /// Noise was drawn in floats: the proof is about real numbers, and rounding can make it wrong.
    NotInFloats,
    /// The scores depend on the other images of a batch, so there is no function of one image to certify.
    NotInBatches,
}

impl Rounding {
    /// What holds for a run with this noise, by an engine whose scores are a function of one image to the
    /// last bit, or not.
    pub fn of(noise: NoiseKind, is_exact: bool) -> Self {
        match noise {
            NoiseKind::Float => Self::NotInFloats,
            NoiseKind::Lattice(_) if !is_exact => Self::NotInBatches,
            NoiseKind::Lattice(lattice) => Self::Covered(lattice),
        }
    }

    /// The same for a certificate whose votes were cast under `laws`.
    pub(crate) fn of_laws(laws: impl Iterator<Item = Noise>, is_exact: bool) -> Self {
        let kind = |law| match law {
            Noise::Lattice(law) => NoiseKind::Lattice(law.lattice),
            Noise::Gaussian(_) | Noise::GeneralizedGaussian(_) => NoiseKind::Float,
        };
        let kinds = laws.map(|law| Self::of(kind(law), is_exact));
        kinds
            .reduce(|one, other| if one == other { one } else { Self::NotInFloats })
            .unwrap_or(Self::NotInFloats)
    }

    /// What it means.
    pub fn words(self) -> &'static str {
        match self {
            Self::Covered(Lattice::Bytes) => {
                "Noise is drawn in whole steps of 1/255, so the proof covers floating point: a radius R holds for every \
                 8-bit image closer than R, as computers compute it. A radius below 1/255 = 0.0039 contains no other \
                 8-bit image."
            }
            Self::Covered(Lattice::Fine) => {
                "Pixels are rounded to whole steps of 1/4096 and noise is drawn in the same steps, so the proof covers \
                 floating point: a radius R holds for every such image closer than R, as computers compute it. A radius \
                 below 1/4096 = 0.0002 contains no other such image."
            }
            Self::NotInFloats => {
                "Not covered in floating point: noise is drawn in floats, and the proof is about real numbers. Networks \
                 can be built for which rounding makes such a certificate wrong."
            }
            Self::NotInBatches => {
                "Not covered in floating point: this engine's scores of an image depend on the other images of a batch, \
                 and the proof is about a function of one image."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Sigma;

    #[test]
    fn every_law_must_be_on_one_lattice() {
        let sigma = Sigma::new(0.5).unwrap();
        let of = |kinds: &[NoiseKind], is_exact| {
            Rounding::of_laws(kinds.iter().map(|kind| kind.at(sigma, 8)), is_exact)
        };
        let [bytes, fine, float] = NoiseKind::ALL;
        assert_eq!(of(&[bytes, bytes], true), Rounding::Covered(Lattice::Bytes));
        assert_eq!(of(&[fine], true), Rounding::Covered(Lattice::Fine));
        assert_eq!(of(&[fine], false), Rounding::NotInBatches);
        for kinds in [&[float][..], &[bytes, float], &[float, bytes], &[bytes, fine], &[]] {
            assert_eq!(of(kinds, true), Rounding::NotInFloats, "{kinds:?}");
        }
    }

    #[test]
    fn words_say_whether_rounding_is_covered() {
        for (rounding, words) in [
            (Rounding::Covered(Lattice::Bytes), "every 8-bit image closer than R"),
            (Rounding::Covered(Lattice::Fine), "whole steps of 1/4096"),
            (Rounding::NotInFloats, "Not covered in floating point: noise is drawn in floats"),
            (Rounding::NotInBatches, "Not covered in floating point: this engine's scores"),
        ] {
            assert!(rounding.words().contains(words), "{rounding:?}");
        }
    }
}
