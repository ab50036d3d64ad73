//! Built-in names, and names that no definition may have. Checks nothing.

use crate::base::narration::Standing;
use crate::rules::check::symbols::symbol::Symbol;
use crate::rules::graph::{Fact, Group, GroupColumn, Op, StreamColumn, TransactionColumn};
use crate::rules::types::Type;

/// Names with a different value in each offer.
pub(in crate::rules) const OFFER_NAMES: [&str; 4] = ["tenure", "instalments", "amount", "interest"];

/// Columns of a table of metrics that are no metrics. The third, `as_of`, is a built-in name.
pub(in crate::rules) const TABLE_NAMES: [&str; 2] = ["customer", "statement"];

/// Names that are taken for some definition: built-in names, names of offers and of columns of a table of metrics, and
/// fields that every request has.
pub fn taken_names() -> Vec<&'static str> {
    let built_in = built_in().into_iter().map(|(name, _)| name);
    built_in.chain(OFFER_NAMES).chain(TABLE_NAMES).chain(["score", "bureau", "request"]).collect()
}

/// The built-in name of a node's operation, if it has one.
pub(crate) fn built_in_name(op: &Op) -> Option<&'static str> {
    let is_named = |symbol: &Symbol| match (symbol, op) {
        (Symbol::Column(column, _), Op::Column(wanted)) => column == wanted,
        (Symbol::Fact(fact, _), Op::Fact(wanted)) => fact == wanted,
        (Symbol::GroupColumn(_, column, _), Op::GroupColumn(wanted)) => column == wanted,
        _ => false,
    };
    built_in().into_iter().find(|(_, symbol)| is_named(symbol)).map(|(name, _)| name)
}

/// The built-in names. docs/reference/rules.md lists them.
pub(in crate::rules) fn built_in() -> Vec<(&'static str, Symbol)> {
    use Group::{Counterparty, Day, Month, Stream, Week};
    use GroupColumn::{Full, FullAgo, Number, Records, Start, Stream as Of};
    use Symbol::{Column as C, Fact as F, GroupColumn as G};
    vec![
        ("id", C(TransactionColumn::Id, Type::TEXT)),
        ("trans_date", C(TransactionColumn::TransDate, Type::DATE)),
        ("cleared_date", C(TransactionColumn::ClearedDate, Type::DATE)),
        ("credit", C(TransactionColumn::Credit, Type::MONEY)),
        ("debit", C(TransactionColumn::Debit, Type::MONEY)),
        ("balance", C(TransactionColumn::Balance, Type::MONEY)),
        ("code", C(TransactionColumn::Code, Type::TEXT)),
        ("branch", C(TransactionColumn::Branch, Type::TEXT)),
        ("bank", C(TransactionColumn::Bank, Type::TEXT)),
        ("desc", C(TransactionColumn::Description, Type::TEXT)),
        ("topics", C(TransactionColumn::Topics, Type::TEXT)),
        ("people", C(TransactionColumn::People, Type::TEXT)),
        ("places", C(TransactionColumn::Places, Type::TEXT)),
        ("actions", C(TransactionColumn::Actions, Type::TEXT)),
        ("reference", C(TransactionColumn::Reference, Type::TEXT)),
        ("date_was_repaired", C(TransactionColumn::DateRepaired, Type::BOOLEAN)),
        ("date_was_in_conflict", C(TransactionColumn::DateConflict, Type::BOOLEAN)),
        ("date_was_out_of_order", C(TransactionColumn::DateOutOfOrder, Type::BOOLEAN)),
        ("change", C(TransactionColumn::Change, Type::MONEY)),
        ("counterparty", C(TransactionColumn::Counterparty, Type::TEXT)),
        ("names_somebody", C(TransactionColumn::Standing(Standing::NAMED), Type::BOOLEAN)),
        ("has_legal_form", C(TransactionColumn::Standing(Standing::LEGAL_FORM), Type::BOOLEAN)),
        ("repeats_payment", C(TransactionColumn::Standing(Standing::REPEATED), Type::BOOLEAN)),
        ("from_oneself", C(TransactionColumn::Standing(Standing::ONESELF), Type::BOOLEAN)),
        ("name_has_remark", C(TransactionColumn::Standing(Standing::BROKEN), Type::BOOLEAN)),
        ("month_start", G(Month, Start, Type::DATE)),
        ("month_number", G(Month, Number, Type::COUNT)),
        ("month_is_full", G(Month, Full, Type::BOOLEAN)),
        ("full_months_ago", G(Month, FullAgo, Type::COUNT)),
        ("month_records", G(Month, Records, Type::COUNT)),
        ("week_start", G(Week, Start, Type::DATE)),
        ("week_number", G(Week, Number, Type::COUNT)),
        ("week_is_full", G(Week, Full, Type::BOOLEAN)),
        ("week_records", G(Week, Records, Type::COUNT)),
        ("day_date", G(Day, Start, Type::DATE)),
        ("day_number", G(Day, Number, Type::COUNT)),
        ("day_records", G(Day, Records, Type::COUNT)),
        ("counterparty_records", G(Counterparty, Records, Type::COUNT)),
        ("stream_records", G(Stream, Records, Type::COUNT)),
        ("stream_is_credit", G(Stream, Of(StreamColumn::IsCredit), Type::BOOLEAN)),
        ("stream_period", G(Stream, Of(StreamColumn::Period), Type::TEXT)),
        ("stream_amount", G(Stream, Of(StreamColumn::Amount), Type::MONEY)),
        ("stream_month_amount", G(Stream, Of(StreamColumn::MonthAmount), Type::MONEY)),
        ("stream_first_date", G(Stream, Of(StreamColumn::First), Type::DATE)),
        ("stream_last_date", G(Stream, Of(StreamColumn::Last), Type::DATE)),
        ("stream_next_date", G(Stream, Of(StreamColumn::Next), Type::DATE)),
        ("stream_missed", G(Stream, Of(StreamColumn::Missed), Type::COUNT)),
        ("stream_regularity", G(Stream, Of(StreamColumn::Regularity), Type::RATIO)),
        ("stream_is_live", G(Stream, Of(StreamColumn::IsLive), Type::BOOLEAN)),
        ("as_of", F(Fact::AsOf, Type::DATE)),
        ("duplicates_dropped", F(Fact::Duplicates, Type::COUNT)),
        ("dates_in_conflict", F(Fact::DateConflicts, Type::COUNT)),
        ("dates_repaired", F(Fact::DateRepaired, Type::COUNT)),
        ("has_debit", F(Fact::HasDebit, Type::BOOLEAN)),
        ("has_balance", F(Fact::HasBalance, Type::BOOLEAN)),
        ("has_row_order", F(Fact::HasRowOrder, Type::BOOLEAN)),
        ("balance_verdict", F(Fact::BalanceVerdict, Type::TEXT)),
        ("period_start", F(Fact::PeriodStart, Type::DATE)),
        ("period_end", F(Fact::PeriodEnd, Type::DATE)),
    ]
}
