//! Small dense systems of equations: symmetric, positive definite.

/// The lower triangle `L` of `A = L L'`, by Cholesky.
pub struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors a symmetric matrix, given by rows. `None` if it is not positive definite, to rounding.
    pub fn new(matrix: &[f64], size: usize) -> Option<Self> {
        let mut lower = matrix.to_vec();
        for row in 0..size {
            for column in 0..=row {
                let (above, here) = (&lower[column * size..column * size + column], &lower[row * size..][..column]);
                let rest = lower[row * size + column] - dot_product(above, here);
                if row != column {
                    lower[row * size + column] = rest / lower[column * size + column];
                } else if rest > matrix[row * size + row].abs() * 1e-13 && rest.is_finite() {
                    lower[row * size + row] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Cholesky { size, lower })
    }

    /// Solves `A x = right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (size, lower) = (self.size, &self.lower);
        let mut x = right.to_vec();
        for row in 0..size {
            x[row] = (x[row] - dot_product(&lower[row * size..][..row], &x[..row])) / lower[row * size + row];
        }
        for row in (0..size).rev() {
            let below: f64 = (row + 1..size).map(|next| lower[next * size + row] * x[next]).sum();
            x[row] = (x[row] - below) / lower[row * size + row];
        }
        x
    }

    /// The diagonal of the inverse of `A`.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let unit = |place: usize| (0..self.size).map(|at| f64::from(u8::from(at == place))).collect::<Vec<f64>>();
        (0..self.size).map(|place| self.solve(&unit(place))[place]).collect()
    }
}

/// How many sums run beside each other, so that a processor need not wait for one.
const STRANDS: usize = 16;

/// The sum of products, in strands of fixed order.
pub fn dot_product(a: &[f64], b: &[f64]) -> f64 {
    let mut strands = [0.0; STRANDS];
    let (mut left, mut right) = (a.chunks_exact(STRANDS), b.chunks_exact(STRANDS));
    for (a, b) in left.by_ref().zip(right.by_ref()) {
        for strand in 0..STRANDS {
            strands[strand] += a[strand] * b[strand];
        }
    }
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    strands.iter().sum::<f64>() + rest
}

/// Less the mean, and of length 1, so that products of two are correlations. With weights of rows, the mean is theirs
/// and each value is multiplied by the root of its row's weight: products are the weighted correlations, as in weighted
/// least squares.
pub fn standardize_column(mut column: Vec<f64>, weights: &[f64]) -> Vec<f64> {
    if weights.is_empty() {
        let mean = column.iter().sum::<f64>() / column.len().max(1) as f64;
        column.iter_mut().for_each(|value| *value -= mean);
    } else {
        let sum: f64 = column.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        let mean = sum / weights.iter().sum::<f64>();
        column.iter_mut().zip(weights).for_each(|(value, weight)| *value = (*value - mean) * weight.sqrt());
    }
    let length = dot_product(&column, &column).sqrt();
    if length > 0.0 {
        column.iter_mut().for_each(|value| *value /= length);
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_by_hand() {
        // 4x + 2y = 10, 2x + 3y = 9: x = 1.5, y = 2. The inverse is (3, -2; -2, 4) / 8.
        let of = Cholesky::new(&[4.0, 2.0, 2.0, 3.0], 2).expect("positive definite");
        let x = of.solve(&[10.0, 9.0]);
        assert!((x[0] - 1.5).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
        let diagonal = of.inverse_diagonal();
        assert!((diagonal[0] - 0.375).abs() < 1e-15 && (diagonal[1] - 0.5).abs() < 1e-15);
        assert!(Cholesky::new(&[1.0, 1.0, 1.0, 1.0], 2).is_none());
    }
}
