//! Recognizes a record in two exports, by a fingerprint of the data that does not depend on the export.

use std::ops::Range;

use crate::base::digest::Hasher;
use crate::statement::base::column::Column;
use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::rows::builder::{NO_VALUE, known_at_row};

/// The texts that count. Others depend on when and how a statement was fetched.
const TEXTS: [Column; 3] = [Column::Code, Column::Reference, Column::Desc];

/// The fingerprint of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fingerprint {
    /// Digest of day, amounts, code, reference and narration. Blanks and case of texts are ignored.
    pub(super) content: u128,
    /// The balance after the record, or [`NO_VALUE`].
    pub(super) balance: i64,
    /// Digest of its id, if it has one.
    pub(super) id: Option<u128>,
    pub(super) row: u32,
}

impl Fingerprint {
    /// Whether two records may be the same one: the data that both have are equal.
    pub(super) fn agrees(&self, other: &Fingerprint) -> bool {
        let balances = [self.balance, other.balance];
        self.content == other.content && (self.balance == other.balance || balances.contains(&NO_VALUE))
    }
}

/// The fingerprints of one export's rows, sorted by content.
pub(super) fn fingerprint_records(columns: &RecordColumns, view: &View<'_>, rows: &Range<usize>) -> Vec<Fingerprint> {
    let mut bytes = Vec::new();
    let mut fingerprints: Vec<Fingerprint> = rows
        .clone()
        .map(|row| Fingerprint {
            content: fingerprint_of_record(columns, view, row, &mut bytes),
            balance: columns.balances[row],
            id: view.id(row).map(|id| digest_to_u128(id.as_bytes())),
            row: row as u32,
        })
        .collect();
    fingerprints.sort_unstable();
    fingerprints
}

fn fingerprint_of_record(columns: &RecordColumns, view: &View<'_>, row: usize, bytes: &mut Vec<u8>) -> u128 {
    bytes.clear();
    bytes.extend(columns.day(row).to_le_bytes());
    for amounts in [&columns.credits, &columns.debits] {
        // A side of 0 and an empty one move the same amount.
        let amount = known_at_row(amounts, row as u32).unwrap_or(0);
        bytes.extend(amount.to_le_bytes());
    }
    for column in TEXTS {
        let text = view.text(column, row).unwrap_or_default();
        for word in text.split_whitespace() {
            let mut letter = [0; 4];
            for lower in word.chars().flat_map(char::to_lowercase) {
                bytes.extend_from_slice(lower.encode_utf8(&mut letter).as_bytes());
            }
            bytes.push(b' ');
        }
        // No UTF-8 text contains this byte.
        bytes.push(u8::MAX);
    }
    digest_to_u128(bytes)
}

fn digest_to_u128(bytes: &[u8]) -> u128 {
    let digest = Hasher::new().update(bytes).finish();
    digest.as_bytes().iter().take(16).fold(0, |all, byte| (all << 8) | u128::from(*byte))
}
