//! The cases beside the project that are exports of banks: tables, JSON and Parquet as they come, each read with a
//! columns file.

use crate::campaigns::collected_cases::{as_they_are, hold, refused, right};
use crate::fixtures::desk::Desk;

#[test]
fn amounts_as_banks_write_them() {
    let declare = |desk: &Desk| {
        declare(desk, "c.toml", "thousands.toml", "", "thousands = [\",\"]");
        declare(desk, "c.toml", "nbsp.toml", "", "thousands = [\"space\"]");
        declare(desk, "c.toml", "minus.toml", "", "minus = [\"parentheses\", \"trailing\"]");
        declare(desk, "dash.toml", "empty.toml", "empty = [\"-\"]", "");
        let balance = "balance = \"balance\"\n[amount]\ncredit_suffix = [\"CR\"]\ndebit_suffix = [\"DR\"]\n";
        let columns = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\namount = \"amount\"\n";
        desk.write("drcr.toml", &format!("{columns}{balance}"));
    };
    hold(
        "17-amount-spellings",
        declare,
        &[
            right(
                "metrics --policy pol.toml --columns thousands.toml thousands.csv",
                &["\"inflow\":133700,\"outflow\":1337,"],
            ),
            right("metrics --policy pol.toml --columns c.toml minus.csv", &["\"inflow\":33700,\"outflow\":1337,"]),
            right("metrics --policy pol.toml --columns nbsp.toml nbsp.csv", &["\"inflow\":133700,"]),
            right("metrics --policy pol.toml --columns minus.toml parens.csv", &["\"inflow\":33700,\"outflow\":1337,"]),
            right(
                "metrics --policy pol.toml --columns minus.toml trailing-minus.csv",
                &["\"inflow\":33700,\"outflow\":1337,"],
            ),
            right(
                "metrics --policy pol.toml --columns drcr.toml drcr.csv",
                &["\"inflow\":33700,\"outflow\":1337,", "\"last_balance\":32363,"],
            ),
            right("metrics --policy pol.toml --columns c.toml plus.csv", &["\"inflow\":33700,"]),
            right("metrics --policy pol.toml --columns c.toml space.csv", &["\"inflow\":33700,\"outflow\":100,"]),
            right(
                "metrics --policy pol.toml --columns empty.toml dash.csv",
                &["\"inflow\":50000,\"outflow\":50000,", "\"last_balance\":200000,"],
            ),
            refused("metrics --policy pol.toml --columns c.toml thousands.csv", &["declare thousands = [\",\"]"]),
            refused("metrics --policy pol.toml --columns c.toml nbsp.csv", &["declare thousands = [\"space\"]"]),
            refused("metrics --policy pol.toml --columns c.toml parens.csv", &["declare minus = [\"parentheses\"]"]),
            refused(
                "metrics --policy pol.toml --columns c.toml trailing-minus.csv",
                &["declare minus = [\"trailing\"]"],
            ),
            refused("metrics --policy pol.toml --columns c.toml drcr.csv", &["credit_suffix = [\"CR\"]"]),
            refused("metrics --policy pol.toml --columns dash.toml dash.csv", &["declare empty = [\"-\"]"]),
            refused("metrics --policy pol.toml artefact.parquet", &["a sum of floating-point numbers"]),
        ],
    );
}

#[test]
fn dates_as_banks_write_them() {
    let declare = |desk: &Desk| {
        let dates = |to: &str, pattern: &str| {
            declare(desk, "iso.toml", to, "", &format!("[dates]\ntrans_date = \"{pattern}\""));
        };
        dates("short.toml", "D/M/YYYY");
        dates("time.toml", "DD/MM/YYYY hh:mm");
        dates("excel.toml", "EXCEL");
        desk.write(
            "day.toml",
            "[columns]\ncustomer = \"customer\"\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n\
             [dates]\ntrans_date = \"ISO day\"\n",
        );
    };
    hold(
        "18-date-spellings",
        declare,
        &[
            right(
                "metrics --policy pol.toml --columns month-name.toml month-name.csv",
                &["\"last_day\":\"2026-03-02\""],
            ),
            right(
                "metrics --policy pol.toml --columns short.toml no-zero.csv",
                &["\"first_day\":\"2026-03-02\",\"last_day\":\"2026-03-12\""],
            ),
            right("metrics --policy pol.toml --columns time.toml time.csv", &["\"last_day\":\"2026-03-02\""]),
            right("metrics --policy pol.toml --columns excel.toml serial.csv", &["\"last_day\":\"2026-03-02\""]),
            right(
                "metrics --policy newyork.toml --columns day.toml midnight.csv",
                &["\"first_day\":\"2026-03-01\",\"last_day\":\"2026-04-01\""],
            ),
            refused("metrics --policy pol.toml --columns dmy.toml no-zero.csv", &["`2/3/2026`", "`DD/MM/YYYY`"]),
            refused("metrics --policy newyork.toml --columns pattern.toml midnight.csv", &["has `T`", "'T'"]),
        ],
    );
}

#[test]
fn rows_that_are_no_money() {
    let declare = |desk: &Desk| {
        declare(desk, "pending.toml", "posted.toml", "skip = \"status = 'pending'\"", "");
        let fee = desk.read("reverted.toml").replace("[columns]", "[columns]\nfee = \"fee\"");
        desk.write("completed.toml", &format!("skip = \"state IN ('PENDING', 'REVERTED')\"\n{fee}"));
    };
    hold(
        "19-rows-that-are-no-money",
        declare,
        &[
            right(
                "metrics --policy pol.toml --columns posted.toml pending.csv",
                &["\"n\":2,\"inflow\":90000,\"outflow\":1417,"],
            ),
            right(
                "metrics --policy pol.toml --columns completed.toml reverted.csv",
                &["\"n\":2,\"inflow\":100000,\"outflow\":10500,", "\"last_balance\":89500,"],
            ),
            right(
                "batch --policy pol.toml --columns completed.toml --write metrics --out out reverted.csv",
                &["\"n\":2,\"inflow\":100000,\"outflow\":10500,"],
            ),
        ],
    );
}

#[test]
fn csv_in_the_shapes_that_banks_write() {
    let prepare = |desk: &Desk| {
        let layout = |layout: &str| format!("{}[file]\n{layout}\n", desk.read("c.toml"));
        desk.write("tab.toml", &layout("delimiter = \"tab\""));
        desk.write("preamble.toml", &layout("header = [\"acct\", \"date\"]"));
        desk.write("lines.toml", &layout("skip_lines = 3"));
        desk.write("footer.toml", &layout("footer = [\"***\", \"Total\"]"));
        let semicolons = "[file]\ndelimiter = \";\"\n";
        desk.write("delimiter.toml", &format!("{}{semicolons}", desk.read("semicolon.toml")));
    };
    const ONE: &[&str] = &["\"n\":1,\"inflow\":33700,"];
    const TWO: &[&str] = &["\"n\":2,\"inflow\":33800,"];
    hold(
        "16-csv-shape-messages",
        prepare,
        &[
            right("metrics --policy pol.toml --columns tab.toml tab.csv", ONE),
            right("metrics --policy pol.toml --columns preamble.toml preamble.csv", ONE),
            right("metrics --policy pol.toml --columns lines.toml preamble.csv", ONE),
            right("metrics --policy pol.toml --columns c.toml sep.csv", ONE),
            right("metrics --policy pol.toml --columns footer.toml footer.csv", ONE),
            right("metrics --policy pol.toml --columns footer.toml total.csv", ONE),
            right("metrics --policy pol.toml --columns c.toml trailing-rows.csv", TWO),
            right("metrics --policy pol.toml --columns c.toml trailing-header.csv", TWO),
            right("metrics --policy pol.toml --columns c.toml two-blank.csv", TWO),
            right("metrics --policy pol.toml --columns c.toml twice-unused.csv", ONE),
            refused(
                "metrics --policy pol.toml --columns semicolon.toml semicolon.csv",
                &["separated by semicolons: declare delimiter = \";\"", "lendwright columns"],
            ),
            // The columns are found; the amounts need a notation of their own.
            refused("metrics --policy pol.toml --columns delimiter.toml semicolon.csv", &["`1.337,00`"]),
            refused("metrics --policy pol.toml --columns c.toml tab.csv", &["declare delimiter = \"tab\""]),
            refused(
                "metrics --policy pol.toml --columns c.toml preamble.csv",
                &["line 4 looks like the header: declare skip_lines = 3", "!12345"],
            ),
            refused("metrics --policy pol.toml --columns c.toml footer.csv", &["row 2: 1 fields"]),
        ],
    );
}

#[test]
fn json_of_other_shapes_and_files_of_one_customer() {
    let array = |desk: &Desk| {
        let columns = "[columns]\nid=\"_id\"\ntrans_date=\"date\"\namount=\"amount\"\ntype=\"type\"\n\
            desc=\"narration\"\nbalance=\"balance\"\n[type]\ncredit=[\"credit\"]\ndebit=[\"debit\"]\n\
            [amount]\nunit=\"minor\"\n";
        desk.write("one-array.toml", columns);
    };
    hold(
        "20-json-shapes",
        array,
        &[
            right("metrics --policy pol.toml --columns bool.toml bool.ndjson", &["\"inflow\":33700,\"outflow\":1337,"]),
            right(
                "metrics --policy pol.toml --columns bool.toml bool.parquet",
                &["\"inflow\":33700,\"outflow\":1337,"],
            ),
            right(
                "batch --policy pol.toml --columns bool.toml --write metrics --out out bool.parquet",
                &["\"inflow\":33700,\"outflow\":1337,"],
            ),
            refused(
                "metrics --policy pol.toml --columns nested.toml nested.ndjson",
                &["amount", "name a key within it"],
            ),
            right("metrics --policy pol.toml --columns path.toml nested.ndjson", &["\"inflow\":33700,"]),
            // The file names `acct`, which the answer lacks.
            refused("metrics --policy pol.toml --columns array.toml array.json", &["`acct`"]),
            refused("metrics --policy pol.toml --columns one-array.toml array.json", &["--customer"]),
            right(
                "metrics --policy pol.toml --columns one-array.toml --customer K1 array.json",
                &["\"customer\":\"K1\"", "\"n\":1,\"inflow\":33700,", "\"last_balance\":33700,"],
            ),
            right(
                "batch --policy pol.toml --columns one-array.toml --customer K1 --write metrics --out out array.json",
                &["\"customer\":\"K1\"", "\"n\":1,\"inflow\":33700,"],
            ),
            right("metrics --policy pol.toml --columns one.toml customer=K1/t.csv", &["\"inflow\":33700,"]),
            right("decide --policy pol.toml --columns one.toml customer=K1/t.csv", &["\"customer\":\"K1\""]),
            right("explain --policy pol.toml --columns one.toml customer=K1/t.csv", &["K1"]),
            right(
                "batch --policy pol.toml --columns one.toml --write metrics --out out customer=K1",
                &["\"customer\":\"K1\"", "\"inflow\":33700,"],
            ),
        ],
    );
}

#[test]
fn kinds_of_parquet_columns() {
    let sums = &["\"customer\":\"K1\"", "\"n\":2,\"inflow\":35037,", "\"first_day\":\"2026-03-02\""];
    hold(
        "25-parquet-kinds",
        as_they_are,
        &[
            right("metrics --policy pol.toml date64.parquet", sums),
            right("batch --policy pol.toml --write metrics --out out date64.parquet", sums),
            right("metrics --policy pol.toml binary.parquet", sums),
            right("batch --policy pol.toml --write metrics --out out binary.parquet", sums),
            // The file has no note that its sixteen bytes are a UUID.
            refused(
                "metrics --policy pol.toml uuid.parquet",
                &["`id` holds FIXED_LEN_BYTE_ARRAY(16)", "write it as text"],
            ),
            refused("metrics --policy pol.toml decimal256.parquet", &["DECIMAL(50, 2)", "DECIMAL of up to 38 digits"]),
        ],
    );
}

/// Adds keys to a columns file of the case, above its tables and at its end.
fn declare(desk: &Desk, from: &str, to: &str, above: &str, below: &str) {
    desk.write(to, &format!("{above}\n{}\n{below}\n", desk.read(from)));
}
