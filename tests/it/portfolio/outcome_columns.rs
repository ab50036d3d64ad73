//! Outcomes as lenders have them: other columns, and other values than 0 and 1.

use super::own_tables::{OWN, backtest, csv, desk};
use super::{done, failed};
use crate::fixtures::desk::Desk;

/// The table of outcomes with other values in `bad`, under another name.
fn write_outcomes(desk: &Desk, name: &str, [good, bad]: [&str; 2]) {
    let text = desk.read("loans.csv");
    let (_, rows) = text.split_once('\n').expect("a header");
    let row = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        format!("{},{},{}\n", cells[0], if cells[1] == "1" { bad } else { good }, cells[2])
    };
    desk.write("other.csv", &format!("customer,{name},amount\n{}", rows.lines().map(row).collect::<String>()));
}

#[test]
fn a_value_may_mean_bad() {
    let desk = desk();
    let ask =
        |column: &str| backtest(&desk, &[&OWN[..], &["--outcomes", "other.csv", "--bad-column", column]].concat());
    write_outcomes(&desk, "bad", ["0", "1"]);
    let wanted = ask("bad");
    for (values, column) in [
        (["good", "bad"], "Class=bad"),
        (["paid", "charged off"], "Class=charged off"),
        // A column that says who is good, turned round.
        (["1", "0"], "Class=0"),
        (["1.0", "0.0"], "Class=0.0"),
        (["true", "false"], "Class=false"),
        (["no", "yes"], "Class"),
        (["False", "True"], "Class"),
        (["0.0", "1.0"], "Class"),
    ] {
        write_outcomes(&desk, "Class", values);
        assert_eq!(ask(column), wanted, "{values:?}");
    }
    // A column may be called so.
    write_outcomes(&desk, "is=bad", ["0", "1"]);
    assert_eq!(ask("is=bad"), wanted);
    // Nothing is known of some, and several values count as good: that is said.
    write_outcomes(&desk, "Class", ["good", "bad"]);
    let first = desk.read("other.csv").replacen(",good,", ",current,", 2).replacen(",good,", ",NA,", 1);
    desk.write("other.csv", &first);
    let base = [&["backtest", "--policy", "own.toml"][..], &OWN, &["--outcomes", "other.csv"]].concat();
    let said = done(&desk, &[&base[..], &["--bad-column", "Class=bad"]].concat());
    assert!(said.err.contains("2 other values of `Class` than `bad` count as good"), "{}", said.err);
    assert!(said.out.contains("Outcomes: 119 known, "), "{}", said.out);
}

#[test]
fn a_column_of_other_values_says_what_to_do() {
    let desk = desk();
    write_outcomes(&desk, "Class", ["good", "bad"]);
    let base = [&["backtest", "--policy", "own.toml"][..], &OWN, &["--outcomes", "other.csv"]].concat();
    let error = |more: &[&str]| failed(&desk, &[&base[..], more].concat());
    let missing = error(&[]);
    assert!(
        missing.contains("it lacks the column `bad`; name the column") && missing.contains("--bad-column"),
        "{missing}"
    );
    let values = error(&["--bad-column", "Class"]);
    assert!(values.contains("row 1: the column `Class` is neither 0 nor 1"), "{values}");
    assert!(values.contains("name its value that means bad") && !values.contains("`bad`"), "{values}");
    let absent = error(&["--bad-column", "Class=worst"]);
    assert!(absent.contains("no row of the column `Class` has this value"), "{absent}");
    desk.write("other.csv", &desk.read("other.csv").replacen(",bad,", ",Bad,", 1));
    let capitals = error(&["--bad-column", "Class=bad"]);
    assert!(capitals.contains("this value also with other capitals; write it one way"), "{capitals}");
    let typo = error(&["--bad-column", "Clas=bad"]);
    assert!(typo.contains("--bad-column names the column `Clas`, which the table does not have"), "{typo}");
}

#[test]
fn one_of_two_tables_may_call_the_customer_customer() {
    let desk = desk();
    let wanted = backtest(&desk, &[&OWN[..], &["--outcomes", "loans.csv"]].concat());
    desk.write("table.csv", &csv().replace("customer,", "Loan No,"));
    let ask = [&OWN[..], &["--outcomes", "loans.csv", "--customer-column", "Loan No"]].concat();
    assert_eq!(backtest(&desk, &ask), wanted);
    let said = done(&desk, &[&["backtest", "--policy", "own.toml"], &ask[..]].concat());
    assert!(
        said.err.contains("note: loans.csv: it lacks the column `Loan No`, so `customer` names the customer"),
        "{}",
        said.err
    );
    // A name that no table has is a mistake.
    let error =
        failed(&desk, &[&["backtest", "--policy", "own.toml"], &ask[..6], &["--customer-column", "Lan No"]].concat());
    assert!(error.contains("--customer-column names the column `Lan No`"), "{error}");
}
