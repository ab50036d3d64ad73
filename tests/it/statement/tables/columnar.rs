//! A Parquet table is read column by column if all of its cells are ordinary. One more column without data makes the
//! reader go row by row; both give the same result.

use lendwright::Currency;
use lendwright::base::date::Zone;
use lendwright::statement::{Columns, EmptyAmount, NegativeRule, read_parquet};
use polars::prelude::*;
use proptest::prelude::*;

use super::parquet_row_groups::parquet;
use crate::statement::*;

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) customer: Option<&'static str>,
    pub(crate) id: Option<&'static str>,
    day: Option<i64>,
    cleared: Option<i64>,
    pub(crate) credit: Option<f64>,
    debit: Option<i64>,
    balance: Option<f64>,
    desc: Option<&'static str>,
    topics: Option<&'static str>,
}

/// How a table is stored, and which columns it lacks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    moments: bool,
    floats: bool,
    has_ids: bool,
    reading: usize,
}

fn texts() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![
        None,
        Some("NIP/ADA OBI"),
        Some("POS PURCHASE AT A SHOP IN LAGOS 000123"),
        Some("no"),
        Some("n/x"),
        Some(" led by a blank"),
        Some("ẹ̀gbá"),
        Some(""),
        Some("N/A"),
        Some("n/a"),
        Some("   "),
    ])
}

/// Nearly always ordinary, because one odd row is enough.
pub(crate) fn row(odd: bool) -> impl Strategy<Value = Row> {
    let customers = match odd {
        true => vec![Some("a"), Some("b"), Some("c-with-a-name-that-is-long"), Some("n/a"), Some(""), None],
        false => vec![Some("a"), Some("b"), Some("c-with-a-name-that-is-long"), Some("c-with-a-name-that-is-longer")],
    };
    let credits = match odd {
        true => vec![None, Some(0.0), Some(-0.0), Some(12.5), Some(0.001), Some(f64::NAN), Some(1e300), Some(-3.25)],
        false => vec![None, Some(0.0), Some(12.5), Some(1_234_567.89), Some(0.07), Some(9e12)],
    };
    let days = if odd { vec![None, Some(20_000), Some(-40_000_000)] } else { vec![Some(20_000), Some(20_001)] };
    let topics = vec![None, Some("food"), Some("food|rent"), Some("|"), Some("N/A"), Some("food||rent|")];
    (
        prop::sample::select(customers),
        prop::sample::select(vec![None, Some("1"), Some("2"), Some("an-id-that-is-long-1"), Some("n/a"), Some("")]),
        prop::sample::select(days),
        prop::sample::select(vec![None, Some(20_000), Some(20_002)]),
        prop::sample::select(credits),
        prop::sample::select(vec![None, None, Some(0), Some(7), Some(250)]),
        prop::sample::select(vec![None, Some(-12.5), Some(0.0), Some(100.0)]),
        texts(),
        prop::sample::select(topics),
    )
        .prop_map(|(customer, id, day, cleared, credit, debit, balance, desc, topics)| Row {
            customer,
            id,
            day,
            cleared,
            credit,
            debit,
            balance,
            desc,
            topics,
        })
}

pub(crate) fn frame(rows: &[Row], kind: Kind) -> DataFrame {
    let texts = |name: &str, of: fn(&Row) -> Option<&'static str>| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
    };
    let days = |name: &str, of: fn(&Row) -> Option<i64>| {
        let (a_day, stored) = match kind.moments {
            true => (86_400_000_000, DataType::Datetime(TimeUnit::Microseconds, None)),
            false => (1, DataType::Date),
        };
        let counts: Vec<Option<i64>> = rows.iter().map(|row| of(row).map(|day| day * a_day + a_day / 3)).collect();
        let column = Column::new(name.into(), counts);
        let column = if kind.moments { column } else { column.cast(&DataType::Int32).expect("days") };
        column.cast(&stored).expect("days")
    };
    let stored = |column: Column| match kind.floats {
        true => column.cast(&DataType::Float64).expect("floats"),
        false => column,
    };
    let mut columns = vec![
        texts("customer", |row| row.customer),
        days("trans_date", |row| row.day),
        days("cleared_date", |row| row.cleared),
        Column::new("credit".into(), rows.iter().map(|row| row.credit).collect::<Vec<_>>()),
        stored(Column::new("debit".into(), rows.iter().map(|row| row.debit).collect::<Vec<_>>())),
        Column::new("balance".into(), rows.iter().map(|row| row.balance).collect::<Vec<_>>()),
        texts("desc", |row| row.desc),
        texts("topics", |row| row.topics),
        Column::new("mood".into(), vec!["good"; rows.len()]),
    ];
    if kind.has_ids {
        columns.push(texts("id", |row| row.id));
    }
    DataFrame::new(rows.len(), columns).expect("a frame")
}

fn held(rows: &[Row], kind: Kind, rows_a_group: usize) -> Result<usize, String> {
    let frame = frame(rows, kind);
    let mut slow = frame.clone();
    slow.with_column(Column::full_null("created_at".into(), rows.len(), &DataType::String)).expect("a column");
    let mut reading =
        Reading::new(Currency::from_numeric("566").expect("the naira"), Zone::parse("Africa/Lagos").expect("Lagos"));
    if kind.reading & 1 != 0 {
        reading.negative = NegativeRule::SwapSides;
    }
    if kind.reading & 2 != 0 {
        reading.empty_amount = EmptyAmount::Drop;
    }
    let read = |frame: &DataFrame| {
        read_parquet(parquet(frame.clone(), rows_a_group), "table", &reading, &Columns::default())
            .map_err(|wrong| wrong.to_string())
    };
    let (fast, slow) = (read(&frame), read(&slow));
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            assert_eq!((fast.heads(), digests(&fast)), (slow.heads(), digests(&slow)));
            assert!(fast.frame().equals_missing(slow.frame()), "{:?}\n{:?}", fast.frame(), slow.frame());
            Ok(fast.len())
        }
        (Err(fast), Err(slow)) => {
            assert_eq!(fast, slow);
            Err(fast)
        }
        (fast, slow) => panic!("{fast:?} and {slow:?}"),
    }
}

pub(crate) fn kinds() -> impl Strategy<Value = Kind> {
    (any::<bool>(), any::<bool>(), any::<bool>(), 0_usize..4).prop_map(|(moments, floats, has_ids, reading)| Kind {
        moments,
        floats,
        has_ids,
        reading,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn columns_are_what_their_rows_are(
        rows in prop::collection::vec(row(false), 1..60),
        odd in prop::collection::vec((row(true), 0_usize..60), 0..2),
        kind in kinds(),
        rows_a_group in prop::sample::select(vec![7_usize, 1_000]),
    ) {
        let mut rows = rows;
        for (odd, at) in odd {
            let at = at % rows.len();
            rows[at] = odd;
        }
        let _ = held(&rows, kind, rows_a_group);
    }
}

/// The property above also covers refused tables; this one is accepted.
#[test]
fn an_ordinary_table_is_read() {
    let row = |number: usize| Row {
        customer: Some(["a", "b"][number / 10 % 2]),
        id: None,
        day: Some(20_000 + number as i64),
        cleared: None,
        credit: number.is_multiple_of(2).then_some(12.5),
        debit: (!number.is_multiple_of(2)).then_some(7),
        balance: Some(100.0),
        desc: (!number.is_multiple_of(9)).then_some("N/A"),
        topics: Some("food||rent"),
    };
    let rows: Vec<Row> = (0..40).map(row).collect();
    for moments in [false, true] {
        for floats in [false, true] {
            assert_eq!(held(&rows, Kind { moments, floats, has_ids: true, reading: 0 }, 7), Ok(2));
        }
    }
}
