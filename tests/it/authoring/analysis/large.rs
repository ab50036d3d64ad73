//! A generated policy of about two thousand lines, for what must stay quick at any size.

use std::fmt::Write;

/// 100 parameters, 450 metrics, 60 requirements, a score of 40 items, tables of 300 rows, 10 offers, and no finding.
pub fn policy() -> String {
    let mut text = String::from(
        "[policy]\nname = \"large\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\n[request]\n\
         amount = \"money\"\n\n[parameters]\n",
    );
    let mut line = |text_line: String| text.push_str(&(text_line + "\n"));
    for n in 0..100 {
        line(format!("limit_{n} = {}", 5 + n));
    }
    line("\n[metric]".into());
    for n in 0..150 {
        let window = 10 + n;
        line(format!("inflow_{n} = \"SUM(credit) FILTER (WHERE within({window}))\""));
        line(format!("records_{n} = \"COUNT(*) FILTER (WHERE within({window}) AND credit > {n})\""));
        line(format!("share_{n} = \"COALESCE(inflow_{n} / NULLIF(SUM(credit), 0), 0)\""));
    }
    for n in 0..60 {
        let share = 0.1 + f64::from(n) / 100.0;
        line(format!(
            "\n[[require]]\nid = \"R{n}\"\nwhen = \"share_{n} <= {share:.2} OR records_{} >= $limit_{n}\"",
            n + 60
        ));
        line(format!(
            "unknown = \"refer\"\nreason = \"{{share_{n}}} of the inflow in {{records_{}}} records\"",
            n + 60
        ));
    }
    line("\n[score]\nbase = 300".into());
    for n in 0..40 {
        line(format!("\n[[score.item]]\non = \"records_{n}\""));
        line(format!("points = [[\"< $limit_{}\", 0], [\">= $limit_{}\", {}]]", n + 60, n + 60, 1 + n % 7));
    }
    grid(&mut text, "grade", "first", "\"score\", \"share_70\", \"records_71\"");
    grid(&mut text, "risk", "any", "\"score\", \"share_74\", \"records_75\"");
    grid(&mut text, "price", "unique", "\"score\", \"share_72\", \"records_73\"");
    for n in 0..10 {
        let metrics: Vec<String> = (n * 15..n * 15 + 15).map(|at| format!("inflow_{at}")).collect();
        let tenure = 30 * (n + 1);
        write!(
            text,
            "\n[[offer]]\nid = \"offer_{n}\"\nwhen = \"grade >= {n} AND share_{} < 1\"\ntenure = {tenure}\n\
             instalments = \"{n} + 1\"\n\
             amount = \"LEAST(COALESCE(request.amount, 100000), GREATEST({}), request.amount * (price + risk))\"\n\
             interest = \"1 + price / 100\"\n\
             method = \"flat\"\nfee = \"0.01 * amount\"\nterms = \"as agreed\"\n",
            n + 100,
            metrics.join(", ")
        )
        .expect("text");
    }
    let used: Vec<String> = (0..150).map(|n| format!("share_{n} + records_{n}")).collect();
    let limits: Vec<String> = (0..100).map(|n| format!("$limit_{n}")).collect();
    for (n, sum) in used.chunks(30).chain(limits.chunks(50)).enumerate() {
        write!(
            text,
            "\n[[require]]\nid = \"S{n}\"\nwhen = \"{} > records_{n}\"\nreason = \"little\"\n",
            sum.join(" + ")
        )
        .expect("text");
    }
    text
}

/// Ten bands of the first input, six of the second, five of the third: every combination a row.
fn grid(text: &mut String, name: &str, hit: &str, inputs: &str) {
    write!(
        text,
        "\n[table.{name}_rows]\nhit = \"{hit}\"\ninputs = [{inputs}]\noutputs = {{ {name} = \"number\" }}\nrows = [\n"
    )
    .expect("text");
    let band = |at: usize, of: usize, value: &dyn Fn(usize) -> String| match at {
        0 => format!("< {}", value(1)),
        at if at + 1 == of => format!(">= {}", value(at)),
        at => format!("{}..{}", value(at), value(at + 1)),
    };
    for first in 0..10 {
        for second in 0..6 {
            for third in 0..5 {
                let cells = [
                    band(first, 10, &|at| format!("{}", 300 + 12 * at)),
                    band(second, 6, &|at| format!("0.{at}")),
                    band(third, 5, &|at| format!("{}", 10 * at)),
                ];
                // A better score costs less.
                let at = if name == "price" { 20 - first } else { first };
                let output = if name == "price" { at + second + third } else { 1 + (at + second + third) % 10 };
                writeln!(text, "  [\"{}\", \"{}\", \"{}\", {output}],", cells[0], cells[1], cells[2]).expect("text");
            }
        }
    }
    text.push_str("]\n");
}
