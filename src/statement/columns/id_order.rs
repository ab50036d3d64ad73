//! The order of ids within a day: byte by byte, or by the numbers in them.

use std::cmp::Ordering;

/// How the ids of a statement compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdOrder {
    /// Byte by byte. For ids of the same length, such as padded numbers and digests.
    Written,
    /// Numbers as numbers, so that 9 comes before 11. For ids of different lengths.
    Numbered,
}

impl IdOrder {
    /// The order for a statement. It takes all ids, so that it does not depend on the order in which they came.
    pub(crate) fn from_ids<'s>(ids: impl IntoIterator<Item = Option<&'s str>>) -> IdOrder {
        let mut lengths = ids.into_iter().flatten().map(str::len);
        let first = lengths.next();
        if lengths.all(|length| Some(length) == first) { IdOrder::Written } else { IdOrder::Numbered }
    }

    pub(crate) fn compare(self, left: Option<&str>, right: Option<&str>) -> Ordering {
        match (self, left, right) {
            (IdOrder::Numbered, Some(left), Some(right)) => compare_numbered_ids(left.as_bytes(), right.as_bytes()),
            (IdOrder::Numbered | IdOrder::Written, ..) => left.cmp(&right),
        }
    }
}

/// Each id is a sequence of numbers and of bytes that are no digits. A number sorts among bytes as a digit would.
/// Numbers that differ only in leading zeros are ordered by what follows, and finally byte by byte.
fn compare_numbered_ids(left: &[u8], right: &[u8]) -> Ordering {
    let (mut one, mut other) = (left, right);
    loop {
        let (of_one, of_other) = (leading_id_digits(one), leading_id_digits(other));
        if of_one.is_empty() || of_other.is_empty() {
            let ((Some((first, rest)), Some((second, more))), true) =
                ((one.split_first(), other.split_first()), of_one.is_empty() && of_other.is_empty())
            else {
                return one.first().cmp(&other.first()).then_with(|| left.cmp(right));
            };
            if first != second {
                return first.cmp(second);
            }
            (one, other) = (rest, more);
            continue;
        }
        let (number, than) = (without_zeros(of_one), without_zeros(of_other));
        let order = number.len().cmp(&than.len()).then_with(|| number.cmp(than));
        if order.is_ne() {
            return order;
        }
        (one, other) = (one.get(of_one.len()..).unwrap_or_default(), other.get(of_other.len()..).unwrap_or_default());
    }
}

fn leading_id_digits(text: &[u8]) -> &[u8] {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(..length).unwrap_or_default()
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_ids_compare_as_numbers() {
        let sorted = [
            "", "-1", "7", "8", "9", "010", "10", "10a", "10b2", "10b10", "11", "75", "A-2", "A-10", "A10", "B", "é9",
            "é10",
        ];
        for (at, left) in sorted.iter().enumerate() {
            for (place, right) in sorted.iter().enumerate() {
                let found = IdOrder::Numbered.compare(Some(left), Some(right));
                assert_eq!(found, at.cmp(&place), "{left} {right}");
            }
        }
        assert_eq!(IdOrder::Numbered.compare(None, Some("1")), Ordering::Less);
    }

    #[test]
    fn ids_of_the_same_length_are_compared_byte_by_byte() {
        assert_eq!(IdOrder::from_ids([Some("5f9a"), None, Some("5f10")]), IdOrder::Written);
        assert_eq!(IdOrder::from_ids([Some("9"), Some("11")]), IdOrder::Numbered);
        assert_eq!(IdOrder::from_ids([None, None]), IdOrder::Written);
        assert_eq!(IdOrder::Written.compare(Some("5f9a"), Some("5f10")), Ordering::Greater);
    }
}
