//! Short descriptions of what is built in: columns, facts, functions. The reference has more detail. Tests compare
//! both with the program.

/// A function: how it is called, and what it gives.
pub(super) struct Described {
    pub name: &'static str,
    pub usage: &'static str,
    pub doc: &'static str,
}

const fn described(name: &'static str, usage: &'static str, doc: &'static str) -> Described {
    Described { name, usage, doc }
}

/// Every function and aggregate.
pub(super) static CALLS: &[Described] = &[
    described("abs", "abs(x)", "without its sign"),
    described("add_months", "add_months(date, n)", "the same day `n` months on, or the last of a shorter month"),
    described("arg_max", "arg_max(x, y)", "`x` where `y` is greatest; the first of equals"),
    described("arg_min", "arg_min(x, y)", "`x` where `y` is least; the first of equals"),
    described("avg", "avg(x) [FILTER (WHERE ...)]", "the mean, from the exact sum; unknown of no rows"),
    described("avg_gap", "avg_gap(date) [FILTER (WHERE ...)]", "mean days between one date and the next"),
    described(
        "benford",
        "benford(x) [FILTER (WHERE ...)]",
        "how far first digits lie from Benford's law, 0 to 1; unknown below 100 values",
    ),
    described("carried", "carried(x)", "the latest value of this row and those before that is known"),
    described("ceil", "ceil(x)", "up to a whole number"),
    described("coalesce", "coalesce(a, b, ...)", "the first that is known"),
    described("concat", "concat(a, b, ...)", "texts, one after the other"),
    described("contains", "contains(text, part)", "true where the part is anywhere in the text"),
    described(
        "count",
        "count(*), count(x), count(DISTINCT x) [FILTER (WHERE ...)]",
        "rows, known values, different values; 0 of no rows",
    ),
    described("date_of", "date_of(timestamp)", "its day in the policy's time zone"),
    described("day", "day(date)", "the day of the month"),
    described("day_of_year", "day_of_year(date)", "1 for 1 January, up to 366"),
    described("ends_with", "ends_with(text, part)", "true where the text ends with the part"),
    described("exp", "exp(x)", "e to the power of `x`; approximate"),
    described("first", "first(x) [FILTER (WHERE ...)]", "the first in the statement's order"),
    described("floor", "floor(x)", "down to a whole number"),
    described("greatest", "greatest(a, b, ...)", "the greatest; unknown where one is"),
    described("in_list", "in_list(list, x)", "true where `x` is a key of the list, on the day of the decision"),
    described("is_unknown", "is_unknown(x)", "true where `x` is unknown"),
    described("last", "last(x) [FILTER (WHERE ...)]", "the last in the statement's order"),
    described("least", "least(a, b, ...)", "the least; unknown where one is"),
    described("length", "length(text)", "how many characters"),
    described("list_contains", "list_contains(list, x)", "true where the list holds `x`"),
    described("list_length", "list_length(list)", "how many values the list has"),
    described("list_of", "list_of(a, b, ...)", "a list of values; a list among them gives its own"),
    described("ln", "ln(x)", "the natural logarithm; approximate; unknown of 0 or less"),
    described("lower", "lower(text)", "in lower case"),
    described("max", "max(x) [FILTER (WHERE ...)]", "the greatest; unknown of no rows"),
    described("max_gap", "max_gap(date) [FILTER (WHERE ...)]", "most days between one date and the next"),
    described("median", "median(x) [FILTER (WHERE ...)]", "the middle value; unknown of no rows"),
    described("mentioned", "mentioned(list)", "the first word of the list that the narration or its topics hold"),
    described("mentions", "mentions(list)", "true where the narration or its topics hold a word of the list"),
    described("min", "min(x) [FILTER (WHERE ...)]", "the least; unknown of no rows"),
    described(
        "mirrored",
        "mirrored(days)",
        "true where the same amount went the other way, with the same counterparty, within `days` days",
    ),
    described(
        "mode",
        "mode(x) [FILTER (WHERE ...)]",
        "the most frequent value, the least of equals; unknown of no rows",
    ),
    described("month", "month(date)", "the month of the year"),
    described("month_start_of", "month_start_of(date)", "the first day of its month"),
    described("months_between", "months_between(from, to)", "how many full months; negative where `from` is later"),
    described("named", "named(list)", "true where the counterparty's name holds a word of the list"),
    described("needs_months", "needs_months(n, x)", "`x`, unknown with fewer than `n` full months"),
    described("next", "next(x)", "the value of the row after"),
    described("nullif", "nullif(a, b)", "`a`, unknown where it equals `b`"),
    described("power", "power(x, y)", "`x` to the power of `y`"),
    described("previous", "previous(x)", "the value of the row before"),
    described(
        "principal_for",
        "principal_for(instalment, rate, n)",
        "the largest amount whose `n` instalments fit; only in an offer",
    ),
    described("quantile", "quantile(x, 0.9) [FILTER (WHERE ...)]", "linear interpolation between the two nearest"),
    described("rank", "rank(x)", "1 for the greatest of the statement, then 2, 3, ...; equals in their order"),
    described("regr_slope", "regr_slope(y, x) [FILTER (WHERE ...)]", "slope of the least-squares line"),
    described("replace", "replace(text, from, to)", "each `from` in the text becomes `to`"),
    described("round", "round(x), round(x, step)", "to the nearest step, halves away from zero"),
    described("round_down", "round_down(x), round_down(x, step)", "down to a whole step"),
    described(
        "round_half_even",
        "round_half_even(x), round_half_even(x, step)",
        "to the nearest step, halves to the even one",
    ),
    described("round_up", "round_up(x), round_up(x, step)", "up to a whole step"),
    described("sqrt", "sqrt(x)", "the square root; approximate; unknown below 0"),
    described("starts_with", "starts_with(text, part)", "true where the text begins with the part"),
    described("stddev", "stddev(x) [FILTER (WHERE ...)]", "the deviation of a sample"),
    described(
        "substring",
        "substring(text, start), substring(text, start, length)",
        "from a character on; the first is 1",
    ),
    described("sum", "sum(x) [FILTER (WHERE ...)]", "the sum, exact for whole numbers; 0 of no rows"),
    described("sum_after", "sum_after(x, days)", "the sum over the records after this one, up to `days` days later"),
    described(
        "sum_before",
        "sum_before(x, days)",
        "the sum over the records before this one, up to `days` days earlier",
    ),
    described("text_of", "text_of(x)", "a number, a date, a time or a truth value as text"),
    described("time_of", "time_of(timestamp)", "its time of day in the policy's time zone"),
    described("to_number", "to_number(text)", "the number that the text writes; unknown where it writes none"),
    described("trim", "trim(text)", "without the blanks at its ends"),
    described("upper", "upper(text)", "in upper case"),
    described("weekday", "weekday(date)", "1 is Monday, 7 Sunday"),
    described("why", "why(x)", "the code of the reason for which `x` is unknown; '' where it is known"),
    described(
        "within",
        "within(days[, date])",
        "true for the last `days` days up to and including `as_of`; without it, up to the last record",
    ),
    described("year", "year(date)", "the year"),
    described("years_between", "years_between(from, to)", "how many full years; negative where `from` is later"),
];

/// Every name that needs no definition.
pub(super) static BUILT_IN: &[(&str, &str)] = &[
    ("actions", "the notes' actions, joined"),
    ("as_of", "the day of the decision; unknown (`needs_as_of`) if not given"),
    ("balance", "the balance after the record; unknown if not given"),
    ("balance_verdict", "`verified`, `discrepancy`, `unverifiable` or `failed`: what the balances say"),
    ("bank", "the bank, as the record gives it"),
    ("branch", "the branch, as the record gives it"),
    ("change", "credit less debit: by how much the record changes the balance"),
    ("cleared_date", "the day the record was cleared"),
    ("code", "the record's code"),
    ("counterparty", "the other side, from the notes' people or the narration; unknown if nobody is named"),
    ("counterparty_records", "records with the counterparty"),
    ("credit", "money in; unknown if not given"),
    ("date_was_in_conflict", "the record's two dates disagreed"),
    ("date_was_out_of_order", "the record stands against the declared order of the table's rows"),
    ("date_was_repaired", "the record's date was repaired"),
    ("dates_in_conflict", "how many records' dates disagreed"),
    ("dates_repaired", "how many records' dates were repaired"),
    ("day_date", "the day"),
    ("day_number", "0 for the first day, then 1, 2, ..."),
    ("day_records", "records of the day"),
    ("debit", "money out; unknown if not given"),
    ("desc", "the narration"),
    ("duplicates_dropped", "how many records came twice"),
    ("from_oneself", "the narration names one person on both sides"),
    ("full_months_ago", "0 for the latest full month, 1 for the one before; unknown if it is not full"),
    ("has_balance", "some record has a balance"),
    ("has_debit", "some record has a debit"),
    ("has_legal_form", "a legal form such as LTD belongs to the counterparty's name"),
    ("has_row_order", "the order of the table's rows is declared"),
    ("id", "the record's id"),
    ("month_is_full", "the statement covers all days of the month"),
    ("month_number", "0 for the first month, then 1, 2, ..."),
    ("month_records", "records in the month"),
    ("month_start", "the month's first day"),
    ("name_has_remark", "a remark is within the counterparty's name, as in no person's"),
    ("names_somebody", "the narration has somebody's name"),
    ("people", "the notes' people, joined"),
    ("period_end", "the last day that the statement covers, at most `as_of`"),
    ("period_start", "the first day that the statement covers"),
    ("places", "the notes' places, joined"),
    ("reference", "the record's reference"),
    ("repeats_payment", "a credit with the narration of a payment that went out"),
    ("stream_amount", "the median amount of a cycle"),
    ("stream_first_date", "the day of the stream's first record"),
    ("stream_is_credit", "money in, else money out"),
    ("stream_is_live", "not more than two cycles are missed"),
    ("stream_last_date", "the day of the stream's last record"),
    ("stream_missed", "cycles that were due since the last one that came"),
    ("stream_month_amount", "what a month is expected to bring"),
    ("stream_next_date", "when the next cycle is due"),
    ("stream_period", "`weekly`, `fortnightly`, `semimonthly`, `four_weekly`, `monthly` or `quarterly`"),
    ("stream_records", "records in the stream"),
    ("stream_regularity", "0 to 1: the share of cycles that came, times how near to their day"),
    ("topics", "the notes' topics, joined"),
    ("trans_date", "the record's day"),
    ("week_is_full", "the statement covers all days of the week"),
    ("week_number", "0 for the first week, then 1, 2, ..."),
    ("week_records", "records in the week"),
    ("week_start", "the week's Monday"),
];

/// The names that only an offer knows.
pub(super) static OF_OFFER: &[(&str, &str)] = &[
    ("amount", "money: what is lent"),
    ("instalments", "count: how many instalments"),
    ("interest", "number: in percent per period"),
    ("tenure", "days, or a count of the policy's `tenure_unit`: how long"),
];

pub(super) fn describe_call(name: &str) -> Option<&'static Described> {
    CALLS.iter().find(|call| call.name == name)
}

pub(crate) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, doc)| *doc)
}

pub(super) fn of_offer(name: &str) -> Option<&'static str> {
    OF_OFFER.iter().find(|(known, _)| *known == name).map(|(_, doc)| *doc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::names::Sort;

    #[test]
    fn every_function_and_every_built_in_name_is_described() {
        let mut known: Vec<&str> = crate::rules::FUNCTIONS.iter().chain(crate::rules::AGGREGATES).copied().collect();
        known.sort_unstable();
        assert_eq!(CALLS.iter().map(|call| call.name).collect::<Vec<_>>(), known);
        let inspected = crate::rules::inspect_shared(std::path::Path::new("x"), "", &mut |_| Err(String::new()));
        let names = inspected.names.expect("names").defined;
        let built_in: Vec<&str> =
            names.iter().filter(|named| named.sort == Sort::Value).map(|named| named.name.as_str()).collect();
        assert_eq!(BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>(), built_in);
    }
}
