//! The statement that is written in every format.

/// Whose it is.
pub(crate) const CUSTOMER: &str = "K1";
/// The balance before the first record, in kobo.
pub(crate) const OPENING: i64 = 1_234_567;

/// A record, in minor units.
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) year: i32,
    pub(crate) month: u32,
    pub(crate) day: u32,
    pub(crate) credit: i64,
    pub(crate) debit: i64,
    pub(crate) balance: i64,
    pub(crate) desc: &'static str,
}

impl Record {
    pub(crate) fn iso(&self) -> String {
        format!("{}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// The movement: positive for a credit.
    pub(crate) fn amount(&self) -> i64 {
        self.credit - self.debit
    }
}

/// The records in their order, with balances that follow. Days with several records and amounts of every size are among
/// them.
pub(crate) fn records() -> Vec<Record> {
    let lines: [(u32, u32, i64, &str); 18] = [
        (3, 2, 33_700, "OPENING GIFT FROM AUNT"),
        (3, 5, -1_337, "CAFÉ ROYAL"),
        (3, 5, -250_000, "RENT MARCH"),
        (3, 28, 25_000_000, "SALARY MARCH ACME"),
        (4, 1, -9_999_999, "SCHOOL FEES"),
        (4, 1, 5, "INTEREST"),
        (4, 13, -700, "SMS CHARGE"),
        (4, 28, 25_000_050, "SALARY APRIL ACME"),
        (5, 3, -1_200_000, "CAFÉ ROYAL"),
        (5, 3, -100_000, "AIRTIME"),
        (5, 4, 100_000, "AIRTIME RETURNED"),
        (5, 28, 25_000_000, "PAYROLL MAY ACME"),
        (6, 1, -30_000_000, "CAR"),
        (6, 9, 123_456_789, "SALE OF CAR"),
        (6, 10, -45_678_901, "LAND"),
        (6, 12, -1, "CORRECTION"),
        (6, 28, 25_000_000, "SALARY JUNE ACME"),
        (6, 30, -12_345, "CAFÉ ROYAL"),
    ];
    let mut balance = OPENING;
    let mut records = Vec::new();
    for (at, (month, day, amount, desc)) in lines.into_iter().enumerate() {
        balance += amount;
        let (credit, debit) = (amount.max(0), (-amount).max(0));
        records.push(Record { id: format!("R{at:04}"), year: 2026, month, day, credit, debit, balance, desc });
    }
    records
}

pub(crate) fn money_in() -> i64 {
    records().iter().map(|record| record.credit).sum()
}

/// An amount with a decimal mark, and a thousands mark every three digits.
pub(crate) fn written(minor: i64, thousands: &str, decimal: &str) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let whole = (minor.unsigned_abs() / 100).to_string();
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push_str(thousands);
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{decimal}{:02}", minor.unsigned_abs() % 100)
}

/// An amount as `1250.50`.
pub(crate) fn plain(minor: i64) -> String {
    written(minor, "", ".")
}

/// The months' English names, shortened.
pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Days since 1899-12-30, as a spreadsheet counts those of 2026.
pub(crate) fn serial(record: &Record) -> i64 {
    const FIRST_OF_2026: i64 = 46_023;
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    FIRST_OF_2026 + BEFORE[record.month as usize - 1] + i64::from(record.day) - 1
}
