//! The data of every market is whole: enough forms for each bank, known gaps, known banks.

use super::{Facts, Market, NarrationForm, Worded};

/// The names of gaps, without how they are written.
const GAPS: [&str; 21] = [
    "party",
    "bank",
    "bank_words",
    "mark",
    "remark",
    "place",
    "telco",
    "digits",
    "home",
    "me",
    "month",
    "m",
    "mm",
    "year",
    "yy",
    "amount",
    "number",
    "part",
    "code",
    "city",
    "shop",
];

const HOWS: [&str; 6] = ["title", "lower", "upper", "glued", "short", "handle"];

fn forms_of<T: Worded>(list: &'static [T]) -> Vec<&'static NarrationForm> {
    list.iter().map(Worded::form).collect()
}

/// The lists of forms that every bank must have, then those that it may lack.
fn lists(facts: &'static Facts) -> [Vec<Vec<&'static NarrationForm>>; 2] {
    let forms = &facts.forms;
    let needed = [
        forms.incoming,
        forms.outgoing,
        forms.card,
        forms.pay,
        forms.pension,
        forms.weekly_payout,
        forms.payout,
        forms.dividend,
        forms.terminal_takings,
        forms.cash_deposit,
        forms.unmarked_reversal,
        forms.win,
        forms.silent_win,
        forms.stake,
        forms.silent_stake,
        forms.airtime,
        forms.cash_machine,
        forms.web,
        forms.bill,
        forms.loan,
        forms.repayment,
    ];
    let charges = [forms.bank_charge, forms.small_charge, forms.returned_charge].map(forms_of);
    let others = [forms_of(forms.reversal), forms_of(forms.failure), forms_of(forms.subscription)];
    let optional = [
        forms.interest,
        forms.interest_tax,
        forms.cash_machine_fee,
        forms.transfer_fee,
        forms.monthly_charge,
        forms.quarterly_charge,
    ];
    let needed = needed.map(forms_of).into_iter().chain(charges).chain(others).collect();
    [needed, optional.map(forms_of).into()]
}

#[test]
fn every_bank_has_a_form_for_what_happens() {
    for market in Market::ALL {
        let facts = market.facts();
        let homes = &facts.banks[..facts.home_banks()];
        assert!(homes.len() >= 10, "nine accounts and a second bank");
        for bank in homes {
            for list in &lists(facts)[0] {
                let closest = list.iter().map(|form| form.closeness(bank.code, "")).max();
                assert!(closest > Some(0), "{} has none of {list:?}", bank.code);
            }
            for list in [facts.forms.win, facts.forms.stake] {
                let closest = list.iter().map(|form| form.closeness(bank.code, "")).max();
                let here = list.iter().filter(|form| Some(form.closeness(bank.code, "")) == closest);
                assert_eq!(here.map(|form| form.weight).sum::<u32>(), 95, "{}: the rest is silent", bank.code);
            }
        }
        let counts =
            [facts.forms.incoming, facts.forms.outgoing, facts.forms.card, facts.forms.pay].map(<[NarrationForm]>::len);
        assert!(counts.into_iter().zip([6, 3, 3, 6]).all(|(count, least)| count >= least), "{counts:?}");
    }
}

#[test]
fn gaps_and_banks_are_known() {
    for market in Market::ALL {
        let facts = market.facts();
        let banks: Vec<&str> = facts.banks.iter().map(|bank| bank.code).collect();
        let used = [facts.firms.school_bank].into_iter().chain(facts.firms.platform_banks);
        for code in used.chain(facts.firms.lender_banks.iter().copied()) {
            assert!(banks.contains(&code), "{code}");
        }
        let backs = facts.forms.failure.iter().map(|failure| failure.back);
        let marks = facts.banks.iter().map(|bank| bank.mark);
        let forms: Vec<&NarrationForm> = lists(facts).into_iter().flatten().flatten().collect();
        for form in &forms {
            assert!(form.banks.is_empty() || form.banks.split(' ').all(|code| banks.contains(&code)), "{form:?}");
            assert!(form.party.is_empty() || facts.firms.lenders.contains(&form.party), "{form:?}");
        }
        for text in forms.iter().map(|form| form.text).chain(backs).chain(marks) {
            let mut parts = text.split('{');
            assert!(!parts.next().unwrap_or_default().contains('}'), "{text}");
            for part in parts {
                let (gap, plain) = part.split_once('}').expect("a closed gap");
                assert!(!plain.contains('}'), "{text}");
                let mut words = gap.split(':');
                let name = words.next().unwrap_or_default();
                let is_number = |text: &str| text.parse::<usize>().is_ok();
                assert!(name.strip_prefix('#').map_or(GAPS.contains(&name), is_number), "{text}");
                assert!(words.all(|how| HOWS.contains(&how) || is_number(how)), "{text}");
            }
        }
        // They are written where nothing can be drawn.
        let plain = [facts.forms.small_charge, facts.forms.returned_charge].into_iter().flatten();
        assert!(plain.into_iter().all(|charge| !charge.form.text.contains('{')));
    }
}

#[test]
fn round_sums_stay_round_and_whole_fees_come_back() {
    for market in Market::ALL {
        let scale = market.facts().scale;
        for minor in [1, 75, 295, 1_300, 53_100] {
            assert_eq!(scale.minor_of(scale.kobo_of(minor)), minor, "{}", market.name());
        }
        assert!(market == Market::Nigeria || scale.minor_of(12_350_000) % 100 == 0);
        assert!(scale.minor_of(1) >= 1);
    }
}
