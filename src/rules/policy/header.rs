//! Checks `[policy]`, the header of a rule file.

use crate::base::date::{Day, Zone};
use crate::base::diagnostic::Diagnostic;
use crate::base::money::{AmountUnit, Currency};
use crate::base::pricing::{FeeMode, TenureUnit};
use crate::rules::check::symbols::symbol::{Checked, Reported};
use crate::rules::policy::{AprRate, DateConflictRule, EmptyAmountRule, Header, NegativeAmountRule, RecordDayRule};
use crate::rules::syntax::file::{Header as Written, Market};
use crate::rules::syntax::source::{Text, read_choice};

/// What a yearly cost is called where no market says it.
const APR: &str = "APR";

/// The whole header, or every mistake in it.
pub(in crate::rules) fn check_policy_header(
    written: &Written,
    market: Option<&Market>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Checked<Header> {
    let mut required = |text: &Option<Text>, key: &str| match text {
        Some(text) => Ok(text.clone()),
        None if written.misspelt.contains(&key) => Err(Reported),
        None => {
            diagnostics.push(Diagnostic::error("missing-key", written.span, format!("`{key}` is missing in [policy]")));
            Err(Reported)
        }
    };
    let name = required(&written.name, "name");
    let version = required(&written.version, "version");
    let currency = required(&written.currency, "currency");
    let zone = required(&written.time_zone, "time_zone");
    let (currency, zone) = check_currency_and_zone(currency, zone, diagnostics);
    let (valid_from, valid_to) = check_validity_days(written, diagnostics);
    let (apr_name, apr_rate) = check_apr(market, diagnostics);
    let units = [("major", AmountUnit::Major), ("minor", AmountUnit::Minor)];
    let conflicts = [
        ("error", DateConflictRule::Error),
        ("prefer_iso", DateConflictRule::PreferIso),
        ("prefer_unformatted", DateConflictRule::PreferUnformatted),
    ];
    let record_days = [("trans_date", RecordDayRule::TransDate), ("cleared_date", RecordDayRule::ClearedDate)];
    let negatives = [
        ("error", NegativeAmountRule::Error),
        ("swap_sides", NegativeAmountRule::SwapSides),
        ("same_side", NegativeAmountRule::SameSide),
    ];
    let empties = [("error", EmptyAmountRule::Error), ("drop", EmptyAmountRule::Drop)];
    let dates = [("optional", false), ("required", true)];
    let fees = [("added", FeeMode::Added), ("deducted", FeeMode::Deducted)];
    let tenures = [TenureUnit::Days, TenureUnit::Weeks, TenureUnit::Months].map(|unit| (unit.name(), unit));
    Ok(Header {
        statement_unit: read_choice(written.statement_unit.as_ref(), &units, AmountUnit::Major, diagnostics),
        date_conflict: read_choice(written.date_conflict.as_ref(), &conflicts, DateConflictRule::Error, diagnostics),
        record_day: read_choice(written.record_day.as_ref(), &record_days, RecordDayRule::TransDate, diagnostics),
        negative_amount: read_choice(
            written.negative_amount.as_ref(),
            &negatives,
            NegativeAmountRule::Error,
            diagnostics,
        ),
        empty_amount: read_choice(written.empty_amount.as_ref(), &empties, EmptyAmountRule::Error, diagnostics),
        requires_as_of: read_choice(written.as_of.as_ref(), &dates, false, diagnostics),
        fee_mode: read_choice(written.fee_mode.as_ref(), &fees, FeeMode::Added, diagnostics),
        tenure_unit: read_choice(written.tenure_unit.as_ref(), &tenures, TenureUnit::Days, diagnostics),
        apr_name,
        apr_rate,
        name: name?.value().to_string(),
        version: version?.value().to_string(),
        currency: currency?,
        zone: zone?,
        valid_from: valid_from?,
        valid_to: valid_to?,
    })
}

/// The currency and the time zone that these texts name.
fn check_currency_and_zone(
    currency: Checked<Text>,
    zone: Checked<Text>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Checked<Currency>, Checked<Zone>) {
    let mut bad = |text: &Text, message: String, help: String, meant: Option<String>| {
        let wrong = Diagnostic::error("policy", text.span(), message).help(help);
        diagnostics.push(wrong.meant_at(text.content(), text.value(), meant));
        Reported
    };
    let currency = currency.and_then(|text| {
        let problem = format!("`{}` is not a currency", text.value());
        let meant = || Currency::from_alphabetic(text.value()).map(|meant| meant.numeric().to_owned());
        Currency::from_numeric(text.value()).ok_or_else(|| bad(&text, problem, near_currency(text.value()), meant()))
    });
    let zone = zone.and_then(|text| {
        let problem = format!("`{}` is not a time zone", text.value());
        let meant =
            || zone_of_offset(text.value()).or_else(|| Zone::of_city(text.value()).map(|zone| zone.to_string()));
        Zone::parse(text.value()).ok_or_else(|| bad(&text, problem, near_zone(text.value()), meant()))
    });
    (currency, zone)
}

/// What the law of a market calls the yearly cost of a loan, and which rate it means.
fn check_apr(market: Option<&Market>, diagnostics: &mut Vec<Diagnostic>) -> (String, AprRate) {
    let name = market.and_then(|market| market.apr_name.as_ref()).map_or(APR, Text::value);
    let rates = [("nominal", AprRate::Nominal), ("effective", AprRate::Effective)];
    let rate = market.and_then(|market| market.apr_rate.as_ref());
    (name.to_owned(), read_choice(rate, &rates, AprRate::Nominal, diagnostics))
}

/// The first and the last day of the policy.
fn check_validity_days(
    written: &Written,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Checked<Option<Day>>, Checked<Option<Day>>) {
    let mut date = |text: &Option<Text>| {
        let Some(text) = text else { return Ok(None) };
        let problem = || format!("`{}` is not a date", text.value());
        let day = Day::parse_iso(text.value());
        day.map(Some).ok_or_else(|| report_header_mistake(diagnostics, text, problem(), "such as 2026-11-01"))
    };
    let (valid_from, valid_to) = (date(&written.valid_from), date(&written.valid_to));
    if let (Ok(Some(from)), Ok(Some(to)), Some(text)) = (&valid_from, &valid_to, &written.valid_to)
        && to < from
    {
        let problem = format!("valid_to {to} is before valid_from {from}");
        report_header_mistake(diagnostics, text, problem, "the policy is in force on both days");
    }
    (valid_from, valid_to)
}

fn report_header_mistake(diagnostics: &mut Vec<Diagnostic>, text: &Text, message: String, help: &str) -> Reported {
    diagnostics.push(Diagnostic::error("policy", text.span(), message).help(help));
    Reported
}

/// What to write instead of an invalid currency.
pub(crate) fn near_currency(written: &str) -> String {
    match Currency::from_alphabetic(written) {
        Some(meant) => format!("use its numeric code: \"{}\"", meant.numeric()),
        None => "ISO 4217 numeric, such as \"566\" for the naira".to_owned(),
    }
}

/// The zone that an offset such as `GMT+1` or `UTC+01:00` means. The signs of `Etc` are turned round: `Etc/GMT-1` is
/// one hour ahead of Greenwich.
fn zone_of_offset(written: &str) -> Option<String> {
    let upper = written.trim().to_ascii_uppercase();
    let offset = upper.strip_prefix("GMT").or_else(|| upper.strip_prefix("UTC")).unwrap_or(&upper);
    let (sign, hours) = match (offset.strip_prefix('+'), offset.strip_prefix('-')) {
        (Some(hours), _) => ('-', hours),
        (_, Some(hours)) => ('+', hours),
        _ => return None,
    };
    let hours: u8 = hours.trim_end_matches(":00").parse().ok()?;
    let zone = format!("Etc/GMT{sign}{hours}");
    Zone::parse(&zone).map(|_| zone)
}

/// What to write instead of an invalid time zone.
pub(crate) fn near_zone(written: &str) -> String {
    if let Some(zone) = zone_of_offset(written) {
        return format!("write a place such as \"Africa/Lagos\", or \"{zone}\": its sign is turned round");
    }
    match Zone::of_city(written) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "an IANA name such as \"Africa/Lagos\"".to_owned(),
    }
}
