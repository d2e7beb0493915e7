//! How is a small symmetric positive definite system solved?

use crate::types::Error;

/// A dense square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Square {
    size: usize,
    entries: Vec<f64>,
}

impl Square {
    /// The matrix with `entry(row, column)`.
    pub fn from_fn(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let entries = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        Self { size, entries }
    }

    /// One entry.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..][..self.size]
    }

    /// The product with a vector.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| dot(self.row(row), x)).collect()
    }

    /// L with L Lᵀ = this matrix; only the lower triangle of the matrix is read.
    pub fn cholesky(&self) -> Result<Lower, Error> {
        let mut lower = Self::from_fn(self.size, |_, _| 0.0);
        for row in 0..self.size {
            for column in 0..=row {
                let rest =
                    self.at(row, column) - dot(&lower.row(row)[..column], &lower.row(column)[..column]);
                let entry = if row > column {
                    rest / lower.at(column, column)
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return Err(Error::NotConverged("the Cholesky factor of a covariance"));
                };
                lower.entries[row * self.size + column] = entry;
            }
        }
        Ok(Lower(lower))
    }
}

/// A lower triangular matrix with a positive diagonal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lower(Square);

impl Lower {
    /// L x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.0.size).map(|row| dot(&self.0.row(row)[..=row], &x[..=row])).collect()
    }

    /// The x with L x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(b.len());
        for (row, b) in b.iter().enumerate() {
            x.push((b - dot(&self.0.row(row)[..row], &x)) / self.0.at(row, row));
        }
        x
    }

    /// The x with Lᵀ x = b.
    pub fn solve_transposed(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for row in (0..x.len()).rev() {
            x[row] /= self.0.at(row, row);
            let (above, from) = x.split_at_mut(row);
            for (x, entry) in above.iter_mut().zip(self.0.row(row)) {
                *x -= entry * from[0];
            }
        }
        x
    }
}

/// Σ aᵢ bᵢ, in order.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random-looking positive definite matrix: G Gᵀ + 0.1 I.
    fn covariance(size: usize) -> Square {
        let g = |i: usize, j: usize| ((i * 31 + j * 17 + 7) % 13) as f64 / 6.0 - 1.0;
        Square::from_fn(size, |i, j| {
            (0..size).map(|k| g(i, k) * g(j, k)).sum::<f64>() + if i == j { 0.1 } else { 0.0 }
        })
    }

    #[test]
    fn the_factor_gives_the_matrix_back() {
        for size in [1, 2, 5, 24] {
            let matrix = covariance(size);
            let lower = matrix.cholesky().unwrap();
            for i in 0..size {
                let unit: Vec<f64> = (0..size).map(|k| f64::from(u8::from(k == i))).collect();
                // column i of L Lᵀ: Lᵀ eᵢ is row i of L
                let row: Vec<f64> = (0..size).map(|k| if k <= i { lower.0.at(i, k) } else { 0.0 }).collect();
                let product = lower.times(&row);
                for (k, entry) in product.iter().enumerate() {
                    assert!((entry - matrix.at(k, i)).abs() < 1e-12 * size as f64, "{size}: {k} {i}");
                }
                let x = lower.solve_transposed(&lower.solve(&matrix.times(&unit)));
                assert!(x.iter().zip(&unit).all(|(x, want)| (x - want).abs() < 1e-9), "{size}: {x:?}");
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let matrix = Square::from_fn(2, |i, j| if i == j { 1.0 } else { 2.0 });
        assert!(matrix.cholesky().is_err());
        assert!(Square::from_fn(1, |_, _| f64::NAN).cholesky().is_err());
    }
}
