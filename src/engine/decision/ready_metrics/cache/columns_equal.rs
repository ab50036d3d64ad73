//! Whether two columns have the same values, row by row. Knows no formula.

use crate::engine::metrics::{Bits, Data, Texts, ValueColumn};

/// The rows whose values are equal, or unknown in both.
pub(super) fn equal_rows(one: &ValueColumn, other: &ValueColumn, rows: usize) -> Bits {
    let known = |column: &ValueColumn| match &column.valid {
        None => Bits::all(rows, true),
        Some(valid) => valid.spread(rows).into_owned(),
    };
    let (one_known, other_known) = (known(one), known(other));
    let both = one_known.and(&other_known);
    let neither = one_known.or(&other_known).not();
    let is_whole = one.len() == rows && other.len() == rows;
    let equal = match (&one.data, &other.data) {
        (Data::Int(one), Data::Int(other)) if is_whole => Bits::from_pairs(one, other, |one, other| one == other),
        (Data::Float(one), Data::Float(other)) | (Data::Decimals(one), Data::Decimals(other)) if is_whole => {
            Bits::from_pairs(one, other, |one: f64, other: f64| one == other)
        }
        (Data::Rational(one), Data::Rational(other)) if is_whole => {
            Bits::from_fn(rows, |row| both.get(row) && one[row] == other[row])
        }
        (Data::Text(one), Data::Text(other)) if is_whole => {
            let [one, other] = Texts::numbered_alike(one, other);
            Bits::from_pairs(&one, &other, |one, other| one == other)
        }
        _ => Bits::from_fn(rows, |row| both.get(row) && one.value(row) == other.value(row)),
    };
    equal.and(&both).or(&neither)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::equal_rows;
    use crate::engine::metrics::{Bits, Data, Texts, ValueColumn};

    #[test]
    fn unknown_is_equal_to_unknown_alone() {
        let column = |values: &[i64], known: &[bool]| {
            ValueColumn::partly(
                Data::Int(values.iter().copied().collect()),
                Bits::from_fn(known.len(), |row| known[row]),
            )
        };
        let one = column(&[1, 2, 3, 0, 7], &[true, true, true, false, false]);
        let other = column(&[1, 5, 0, 9, 7], &[true, true, false, false, false]);
        let equal = equal_rows(&one, &other, 5);
        assert_eq!((0..5).map(|row| equal.get(row)).collect::<Vec<_>>(), [true, false, false, true, true]);
    }

    #[test]
    fn texts_are_equal_by_name_not_by_number() {
        let column = |names: &[&'static str], numbers: &[u32]| {
            let names = names.iter().map(|name| Cow::Borrowed(*name)).collect();
            ValueColumn::known(Data::Text(Texts::Named(numbers.to_vec().into(), names)))
        };
        // Two rows of a table may say the same; no name is the empty text.
        let one = column(&["A", "B", "B", ""], &[0, 1, 2, 3, 0, 9]);
        let other = column(&["B", "A"], &[1, 0, 0, 9, 0, 9]);
        let equal = equal_rows(&one, &other, 6);
        assert_eq!((0..6).map(|row| equal.get(row)).collect::<Vec<_>>(), [true, true, true, true, false, true]);
    }

    #[test]
    fn a_single_value_serves_every_row() {
        let one = ValueColumn::known(Data::Int([4].into_iter().collect()));
        let many = ValueColumn::known(Data::Int([4, 5, 4].into_iter().collect()));
        assert_eq!(equal_rows(&one, &many, 3).count(0..3), 2);
    }
}
