//! A friend sends money month after month and writes that it is pay. None of these fixed forms may get an offer. They
//! are an attack and not a sample, so rules may be changed with them in sight.

use std::fmt::Write as _;

use lendwright::decision::{Outcome, Request, decide, reading};
use lendwright::statement::{Columns, read_csv};

use super::policy;

const FORMS: [&str; 8] = [
    "{}|MOB: To FCMB|SALARY",
    "NIP/GTB/{} /SALARY",
    "TRF FROM {} SALARY",
    "NIP TRANSFER FROM {} FOR SALARY PAYMENT",
    "{}/MY LTD MONEY SALARY",
    "FT {} PAYROLL",
    "INWARD TRANSFER/{}/STAFF WAGES",
    "{} - SALARY",
];
const NAMES: [&str; 20] = [
    "ADA OKAFOR",
    "BAYO ADEYEMI",
    "CHIDI NWOSU",
    "DUPE BALOGUN",
    "EMEKA EZE",
    "FUNKE ALABI",
    "GBENGA OJO",
    "HALIMA BELLO",
    "IFEOMA OBI",
    "JOSEPH EDET",
    "KEMI LAWAL",
    "LATEEF SANNI",
    "MARYAM USMAN",
    "NGOZI UMEH",
    "OBINNA OKEKE",
    "PATIENCE UDOH",
    "RASHEED JIMOH",
    "SADE AKANDE",
    "TUNDE BASSEY",
    "UCHE MADU",
];

/// A statement of some months until the end of October, with the friend's money on the 25th and a modest life.
fn statement(form: &str, name: &str, months: u32, has_debits: bool) -> String {
    let mut table = String::from("customer,trans_date,credit,debit,desc\n");
    for month in 11 - months..=10 {
        writeln!(table, "c1,2026-{month:02}-25,300000,,{}", form.replace("{}", name)).expect("text");
        for day in [2, 9, 16, 27] {
            if has_debits {
                writeln!(table, "c1,2026-{month:02}-{day:02},,45000,POS PURCHASE EVERFRESH STORES").expect("text");
            } else {
                writeln!(table, "c1,2026-{month:02}-{day:02},2000,,NIP/UBA/GRACE EDET /FOOD").expect("text");
            }
        }
    }
    table
}

pub(super) fn table(names: usize) -> String {
    let mut table = String::from("| a friend's form | decided | offers |\n|---|---|---|\n");
    for form in FORMS {
        let (mut decided, mut offers) = (0, 0);
        for policy in ["starter", "salary-advance"].map(policy) {
            for (name, months, has_debits) in NAMES[..names]
                .iter()
                .flat_map(|name| [1, 3, 6].map(|months| (name, months)))
                .flat_map(|(name, months)| [true, false].map(|has_debits| (name, months, has_debits)))
            {
                let text = statement(form, name, months, has_debits);
                let read = read_csv(text.as_bytes(), "t", &reading(&policy), &Columns::default()).expect("a table");
                let found = decide(&policy, &read, &Request::on("2026-10-31".parse().expect("a day")));
                decided += 1;
                offers += usize::from(found.expect("a decision")[0].outcome == Outcome::Offer);
            }
        }
        table += &format!("| `{}` | {decided} | {offers} |\n", form.replace("{}", "NAME").replace('|', "\\|"));
        assert_eq!(offers, 0, "{form}: a friend's remark got an offer");
    }
    table
}
