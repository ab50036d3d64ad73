//! The formats of tables, and the endings of file names that name them.

use serde::{Deserialize, Serialize};

/// The format of a table that is read row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableFormat {
    /// A header, commas, quotes doubled inside quotes.
    Csv,
    /// One JSON object per line.
    Lines,
    /// Column by column.
    Parquet,
    /// A sheet of an XLSX, XLS or ODS workbook.
    Workbook,
    /// JSON of any shape, by the paths of a columns file.
    Json,
    /// ISO 20022 camt.052 and camt.053.
    Camt,
    /// SWIFT MT940 and MT942.
    Mt940,
    /// OFX and QFX.
    Ofx,
    /// Quicken Interchange Format.
    Qif,
}

impl TableFormat {
    /// The format of files with this ending, in lower case, if the ending alone says so.
    pub(crate) fn from_ending(ending: &str) -> Option<TableFormat> {
        Some(match ending {
            "csv" | "tsv" => TableFormat::Csv,
            "ndjson" | "jsonl" => TableFormat::Lines,
            "parquet" => TableFormat::Parquet,
            "xlsx" | "xlsm" | "xls" | "ods" => TableFormat::Workbook,
            "camt" | "c53" | "c52" => TableFormat::Camt,
            "mt940" | "mt942" | "940" | "942" | "sta" | "swi" => TableFormat::Mt940,
            "ofx" | "qfx" => TableFormat::Ofx,
            "qif" => TableFormat::Qif,
            _ => return None,
        })
    }

    /// Whether it is a format of banks, whose columns need no columns file.
    pub(crate) fn is_bank_format(self) -> bool {
        matches!(self, TableFormat::Camt | TableFormat::Mt940 | TableFormat::Ofx | TableFormat::Qif)
    }

    /// Whether a file of it is read as a whole.
    pub(crate) fn is_read_whole(self) -> bool {
        !matches!(self, TableFormat::Csv | TableFormat::Lines | TableFormat::Parquet)
    }
}
