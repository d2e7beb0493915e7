//! Points, certificates, and a bank that needs no file.
#![allow(dead_code)] // each test file uses its own part

use qcrs::types::Alpha;
use qcrs_bank::{Abstention, Bank, BankAnswer, CertificateName, Claim, Why};

pub fn certificate(class: usize, radius: f64) -> Claim {
    Claim { class, radius }
}

pub fn alpha() -> Alpha {
    Alpha::new(0.001).unwrap()
}

/// Class and radius of a ball with its centre.
pub type Ball = (Vec<f32>, usize, f64);

/// The algorithm as the paper has it, in plain f64 and over all balls.
#[derive(Default)]
pub struct Reference {
    pub balls: Vec<Ball>,
}

impl Reference {
    /// Class and radius; `None` for an abstention.
    pub fn ask(&self, x: &[f32], own: Option<Claim>) -> Option<(usize, f64)> {
        let room = |(centre, _, radius): &Ball| radius - distance(x, centre);
        let inside = self.balls.iter().filter(|ball| room(ball) > 0.0);
        let home = inside.max_by(|a, b| room(a).total_cmp(&room(b)));
        let own = own.map(|own| {
            let others = self.balls.iter().filter(|ball| ball.1 != own.class);
            (own.class, others.map(|ball| -room(ball)).fold(own.radius, f64::min))
        });
        match (home, own) {
            (Some(ball), Some((class, radius))) if class == ball.1 => Some((class, radius.max(room(ball)))),
            (Some(ball), _) => Some((ball.1, room(ball))),
            (None, own) => own.filter(|own| own.1 > 0.0),
        }
    }

    /// Whether rounding decides about `x`.
    pub fn is_at_a_rim(&self, x: &[f32]) -> bool {
        self.balls.iter().any(|(centre, _, radius)| (distance(x, centre) - radius).abs() < 1e-9)
    }

    /// Takes over what a bank stored.
    pub fn learn(&mut self, x: &[f32], answer: BankAnswer) {
        if let BankAnswer::Class { class, radius, why: Why::Own | Why::Cut(_) } = answer {
            self.balls.push((x.to_vec(), class, radius));
        }
    }
}

pub fn distance(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2)).sum::<f64>().sqrt()
}

/// Class and radius; `None` for an abstention.
pub fn claimed(answer: BankAnswer) -> Option<(usize, f64)> {
    match answer {
        BankAnswer::Class { class, radius, .. } => Some((class, radius)),
        BankAnswer::Abstain(Abstention::Own | Abstention::NothingLeft(_)) => None,
    }
}

/// A bank in a folder that goes with it; in memory where there is such a thing, for disks take their time.
pub fn empty(shape: [usize; 3]) -> (tempfile::TempDir, Bank) {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut bank = Bank::open(dir.path(), shape).unwrap();
    bank.sync_by_hand();
    (dir, bank)
}

/// Numbers in [0, 1) from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / 2f32.powi(24)
    }
}

/// Claim number `n` of an endless row; neighbours conflict.
pub fn offer(n: u32) -> ([f32; 4], Claim) {
    let at = |step: u32| (n.wrapping_mul(step) % 997) as f32 / 997.0;
    ([at(7), at(31), at(101), at(499)], certificate((n % 3) as usize, 0.05 + f64::from(n % 11) / 20.0))
}

pub fn source(input: u32) -> CertificateName {
    CertificateName { run: "child".into(), input }
}
