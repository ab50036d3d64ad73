//! lendwright's side of the comparison with DuckDB, Polars and pandas. It takes its orders as lines on standard input,
//! in the form that worker.py describes. Knows nothing of the others.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use lendwright::files::{read_columns, read_parts, write_parquet};
use lendwright::statement::Columns;
use lendwright::{Day, load_policy, metrics, reading};

/// Answers until the input ends. A line `TABLE AS_OF THREADS [COLUMNS]` says what to compute.
pub fn serve(arguments: &[String]) {
    let [table, as_of, threads, columns @ ..] = arguments else {
        panic!("TABLE AS_OF THREADS [COLUMNS]");
    };
    let threads = threads.parse().expect("a number of threads");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let policy = load_policy(peers.join("metrics.toml"), &[]).expect("the policy");
    let columns = columns.first().map_or_else(Columns::default, |file| read_columns(file).expect("a columns file"));
    let as_of = Day::parse_iso(as_of).expect("a day");
    // From the file on disk to the table of metrics in memory.
    let calculate = || {
        let tables = read_parts(table, &reading(&policy), Some(&columns), |part| {
            metrics::table(&policy, &part, Some(as_of)).expect("metrics")
        });
        metrics::stack(tables.expect("a table of statements")).expect("one policy")
    };
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["values", path] => {
                write_parquet(&calculate(), Path::new(path)).expect("a file");
                writeln!(output, "written").expect("a reader");
            }
            ["time"] => {
                let began = Instant::now();
                let found = calculate();
                let took = began.elapsed().as_secs_f64();
                drop(found);
                writeln!(output, "{took}").expect("a reader");
            }
            _ => panic!("not a request: {line:?}"),
        }
    }
}
