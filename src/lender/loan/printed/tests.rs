//! Prints the table of a loan's life for `docs/reference/loan-life.md`, and draws it. The table is found out: every
//! event is tried in every situation that can be reached, and what comes of it is collected.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::path::Path;

use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::tests::{at, plan, start, terms};
use crate::lender::loan::*;

/// What can come of an event in a state: the next state and the kinds of effects.
type Outcomes = BTreeSet<(LoanState, Vec<&'static str>)>;
type Table = BTreeMap<(LoanState, &'static str), Outcomes>;

fn events(now: Timestamp) -> Vec<Event> {
    let until = at(now.milliseconds() + 6 * DAY);
    let mut events = vec![
        Event::Refer,
        Event::Approved { until },
        Event::Disapproved,
        Event::AnswerTaken,
        Event::AcceptanceAnswered,
        Event::AccountVerified,
        Event::AccountRefused,
        Event::NoAnswer,
        Event::Impossible(Cause::Undecidable),
        Event::Impossible(Cause::Contradicted),
        Event::Sending,
        Event::NotSent,
        Event::AskFirst,
        Event::Unknown,
        Event::Moved,
        Event::NotMoved,
        Event::ReportedFailed,
        Event::StillFailed,
        Event::FailedMoved,
        Event::FailedDoubted,
        Event::Pending,
        Event::NotFound,
        Event::Due,
        Event::Retry,
        Event::Cancel,
        Event::WriteOff,
        Event::Refunded,
        Event::Restored,
        Event::PayoutReversed { amount_minor: 10_000 },
        Event::DebitReversed { amount_minor: 3_600 },
        Event::PaymentReversed { amount_minor: 600 },
    ];
    for decision in [LoanDecision::Offer { until }, LoanDecision::Decline] {
        events.extend([true, false].map(|is_answered| Event::Decided { decision, is_answered }));
    }
    for amount_minor in [600, 3_600, 10_800, 20_000] {
        events.push(Event::Paid { amount_minor });
    }
    for is_part_payment_allowed in [true, false] {
        for is_reply_awaited in [false, true] {
            events.push(Event::Accepted { terms: Terms { is_part_payment_allowed, ..terms() }, is_reply_awaited });
        }
    }
    events
}

/// What tells two situations of a loan apart, as far as the table is concerned.
fn situation(loan: &Loan) -> String {
    let order = loan.order.as_ref().map(|order| (order.kind, order.sent_at().is_some(), order.ask_first));
    let failed = loan
        .failed
        .as_ref()
        .map(|failed| (failed.order.kind, failed.confirmed_at.is_some(), failed.doubted_at.is_some()));
    let doubts = (loan.is_contradicted, loan.restored_at.is_some(), failed, loan.is_reply_awaited);
    let part = loan.terms.as_ref().map(|terms| terms.is_part_payment_allowed);
    let owed = loan.instalments.iter().filter(|instalment| instalment.owed_minor() > 0).count();
    let decision = loan.decision.map(|decision| matches!(decision, LoanDecision::Offer { .. }));
    format!(
        "{:?}",
        (loan.state, loan.cause, order, doubts, part, owed, decision, loan.overpaid_minor > 0, loan.collections.min(3))
    )
}

fn kinds(effects: &[Effect]) -> Vec<&'static str> {
    let kind = |effect: &Effect| match effect {
        Effect::Plan(order) if order.kind == OrderKind::Fund => "plans the payout",
        Effect::Plan(_) => "plans a debit",
        Effect::Settle(_, OrderOutcome::Sent) => "stored as sent",
        Effect::Settle(_, OrderOutcome::Planned) => "stored as not sent",
        Effect::Settle(_, OrderOutcome::Moved) => "stored as moved",
        Effect::Settle(_, OrderOutcome::NotMoved) => "stored as not moved",
        Effect::Settle(_, OrderOutcome::Withdrawn) => "withdrawn",
        Effect::Reopen(_) => "opened again",
        Effect::Tell(Message::AccountRefused) => "message: account refused",
        Effect::Tell(Message::Funded) => "message: funded",
        Effect::Tell(Message::NotCollected) => "message: not collected",
        Effect::Tell(Message::Closed) => "message: closed",
        Effect::RefuseAcceptance => "reply: account refused",
    };
    effects.iter().map(kind).collect()
}

fn table() -> Table {
    let begin = (Loan::requested(start()), start());
    let (mut known, mut open) = (BTreeSet::from([situation(&begin.0)]), VecDeque::from([begin]));
    let mut table = Table::new();
    while let Some((loan, before)) = open.pop_front() {
        for wait in [0, 20 * 60_000, 2 * DAY, 40 * DAY] {
            let now = at(before.milliseconds() + wait);
            for event in events(now) {
                let Ok(Transition { loan: next, effects }) = step_loan_state(&loan, &event, plan().at(now)) else {
                    continue;
                };
                let outcome = (next.state, kinds(&effects));
                table.entry((loan.state, event.word())).or_default().insert(outcome);
                if known.insert(situation(&next)) {
                    open.push_back((next, now));
                }
            }
        }
    }
    table
}

fn markdown(table: &Table) -> String {
    let mut text = "| state | event | next | with it |\n|---|---|---|---|\n".to_owned();
    for state in LoanState::ALL {
        for ((_, event), outcomes) in table.iter().filter(|((from, _), _)| *from == state) {
            for (next, effects) in outcomes {
                let next = if *next == state { "stays".to_owned() } else { format!("`{}`", next.word()) };
                let _ = writeln!(text, "| `{}` | `{event}` | {next} | {} |", state.word(), effects.join(", "));
            }
        }
    }
    text
}

/// Where a state is drawn: column and row.
fn place(state: LoanState) -> (i32, i32) {
    match state {
        LoanState::Requested => (0, 1),
        LoanState::Referred => (0, 2),
        LoanState::Answering => (1, 1),
        LoanState::Declined => (1, 0),
        LoanState::Offered => (2, 1),
        LoanState::Expired => (2, 0),
        LoanState::Verifying => (3, 1),
        LoanState::AccountWrong => (3, 0),
        LoanState::Funding => (4, 1),
        LoanState::FundingUnknown => (4, 2),
        LoanState::FundingFailed => (4, 0),
        LoanState::Cancelled => (5, 0),
        LoanState::Open => (5, 1),
        LoanState::Review => (3, 3),
        LoanState::Collecting => (6, 1),
        LoanState::CollectionUnknown => (6, 2),
        LoanState::CollectionFailed => (5, 2),
        LoanState::Closed => (7, 1),
        LoanState::Overpaid => (7, 2),
        LoanState::WrittenOff => (6, 3),
    }
}

const COLUMN: i32 = 190;
const ROW: i32 = 130;
const BOX: (i32, i32) = (150, 44);

fn centre(state: LoanState) -> (f64, f64) {
    let (column, row) = place(state);
    (f64::from(column * COLUMN + 95), f64::from(row * ROW + 50))
}

/// A line from the border of one box to that of another, a little bent, so that there and back are apart.
fn edge(from: LoanState, to: LoanState, class: &str) -> String {
    let ((x1, y1), (x2, y2)) = (centre(from), centre(to));
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = libm::hypot(dx, dy).max(1.0);
    let (half, high) = (f64::from(BOX.0) / 2.0, f64::from(BOX.1) / 2.0);
    let reach = (half / dx.abs().max(0.001)).min(high / dy.abs().max(0.001));
    let bend = if class == "main" && to != LoanState::Open { 0.0 } else { (length * 0.12).min(40.0) };
    let (mx, my) = ((x1 + x2) / 2.0 - dy / length * bend, (y1 + y2) / 2.0 + dx / length * bend);
    let (sx, sy, ex, ey) = (x1 + dx * reach, y1 + dy * reach, x2 - dx * reach, y2 - dy * reach);
    format!("<path class=\"{class}\" d=\"M{sx:.0} {sy:.0} Q{mx:.0} {my:.0} {ex:.0} {ey:.0}\"/>\n")
}

fn drawing(table: &Table) -> String {
    let main = [
        LoanState::Requested,
        LoanState::Answering,
        LoanState::Offered,
        LoanState::Verifying,
        LoanState::Funding,
        LoanState::Open,
        LoanState::Collecting,
    ];
    let is_main = |from: LoanState, to: LoanState| {
        main.windows(2).any(|pair| pair == [from, to])
            || (from, to) == (LoanState::Collecting, LoanState::Open)
            || (from, to) == (LoanState::Collecting, LoanState::Closed)
    };
    let mut edges = BTreeSet::new();
    for ((from, _), outcomes) in table {
        // A review leads back to wherever the loan stopped: those lines would hide the others.
        let is_drawn = |to: LoanState| to != *from && *from != LoanState::Review;
        edges.extend(outcomes.iter().filter(|(to, _)| is_drawn(*to)).map(|(to, _)| (*from, *to)));
    }
    let (width, height) = (8 * COLUMN, 4 * ROW - 10);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"The states of a loan and how one follows from another\">\n<style>\n\
         svg {{ background: #fff; font: 15px system-ui, sans-serif }}\n\
         rect {{ fill: #eef3f8; stroke: #3b5b7a; rx: 8 }}\n\
         .final rect {{ fill: #f1f1ee; stroke: #77776f }}\n.person rect {{ fill: #fdf1dc; stroke: #a9670a }}\n\
         .unknown rect {{ fill: #fde8e6; stroke: #b3392c }}\n\
         text {{ text-anchor: middle; dominant-baseline: central; fill: #1c2733 }}\n\
         path {{ fill: none; stroke: #9aa7b3; stroke-width: 1.2; marker-end: url(#thin) }}\n\
         path.main {{ stroke: #1f4e79; stroke-width: 3; marker-end: url(#thick) }}\n\
         marker path {{ marker-end: none; stroke: none }}\n</style>\n<defs>\
         <marker id=\"thin\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#9aa7b3\"/></marker>\
         <marker id=\"thick\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"4\" markerHeight=\"4\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#1f4e79\"/></marker></defs>\n"
    );
    let (thick, thin): (Vec<_>, Vec<_>) = edges.into_iter().partition(|(from, to)| is_main(*from, *to));
    thin.iter().for_each(|(from, to)| text.push_str(&edge(*from, *to, "")));
    thick.iter().for_each(|(from, to)| text.push_str(&edge(*from, *to, "main")));
    for state in LoanState::ALL {
        let (x, y) = centre(state);
        let class = match state {
            _ if state.needs_person() => "person",
            _ if state.is_unknown() => "unknown",
            _ if state.is_final() || state == LoanState::WrittenOff => "final",
            _ => "",
        };
        let (left, top) = (x - f64::from(BOX.0) / 2.0, y - f64::from(BOX.1) / 2.0);
        let word = state.word().replace('_', " ");
        let _ = writeln!(
            text,
            "<g class=\"{class}\"><rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{}\" height=\"{}\"/>\
             <text x=\"{x:.0}\" y=\"{y:.0}\">{word}</text></g>",
            BOX.0, BOX.1
        );
    }
    text + "</svg>\n"
}

/// Holds a file to what it should be, or writes it if snapshots are being updated.
fn hold(path: &Path, wanted: &str) {
    let found = std::fs::read_to_string(path).unwrap_or_default();
    if found != wanted && std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(path, wanted).expect("the file can be written");
        return;
    }
    assert!(found == wanted, "{} is not what the table says: run with INSTA_UPDATE=always", path.display());
}

#[test]
fn the_documented_table_and_drawing_are_the_code() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference");
    let table = table();
    let reached: BTreeSet<LoanState> = table.values().flatten().map(|(to, _)| *to).collect();
    let unreached: Vec<_> = LoanState::ALL[1..].iter().filter(|state| !reached.contains(state)).collect();
    assert!(unreached.is_empty(), "{unreached:?}");
    let page = docs.join("loan-life.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let (head, _) = text.split_once("| state | event |").expect("the page has the table at its end");
    hold(&page, &format!("{head}{}", markdown(&table)));
    hold(&docs.join("loan-life.svg"), &drawing(&table));
}
