//! lendwright's side of the race with DuckDB, Polars and pandas: it is asked by lines on standard input, as worker.py says. Knows nothing of
//! the others.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use lendwright::files::{read_columns, read_statements, write_parquet};
use lendwright::statement::Columns;
use lendwright::{Day, Policy, load_policy, metrics, reading};

/// What one calculation takes: the file, and how it is to be read.
struct Work {
    policy: Policy,
    columns: Columns,
    table: String,
    as_of: Day,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, as_of, threads, columns @ ..] = arguments.as_slice() else {
        panic!("TABLE AS_OF THREADS [COLUMNS]");
    };
    let threads = threads.parse().expect("a number of threads");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let work = Work {
        policy: load_policy(peers.join("metrics.toml"), &[]).expect("the policy"),
        columns: columns.first().map_or_else(Columns::default, |file| read_columns(file).expect("a columns file")),
        table: table.clone(),
        as_of: Day::parse_iso(as_of).expect("a day"),
    };
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["values", path] => {
                write_parquet(&work.calculate(), Path::new(path)).expect("a file");
                writeln!(output, "written").expect("a reader");
            }
            ["time"] => {
                let began = Instant::now();
                let found = work.calculate();
                let took = began.elapsed().as_secs_f64();
                drop(found);
                writeln!(output, "{took}").expect("a reader");
            }
            _ => panic!("not a request: {line:?}"),
        }
    }
}

impl Work {
    /// From the file on disk to the table of metrics in memory.
    fn calculate(&self) -> polars::frame::DataFrame {
        let statements =
            read_statements(&self.table, &reading(&self.policy), Some(&self.columns)).expect("a table of statements");
        metrics::table(&self.policy, &statements, Some(self.as_of)).expect("metrics")
    }
}
