//! Made-up results with every part, for tests of the page and to look at it. The numbers are plausible, not consistent.

use crate::portfolio::summary::*;

/// A name that would break a page which does not escape.
pub(super) const HOSTILE: &str = "<script>alert(\"1\")</script> O'Neil\u{202e}";

fn group(customers: u64, share: f64, known: u64, bad: u64) -> GroupNumbers {
    let rate = (known > 0).then(|| bad as f64 / known as f64);
    let low = bad as f64 / customers.max(1) as f64;
    let high = (bad + customers - known) as f64 / customers.max(1) as f64;
    GroupNumbers {
        customers,
        share: Some(share),
        amount: i128::from(customers) * 21_534_050,
        known,
        bad,
        bad_rate: rate,
        bad_rate_bounds: (customers > 0).then_some((low, high)),
    }
}

fn outcome(name: &str, group: GroupNumbers) -> OutcomeRow {
    OutcomeRow { outcome: name.to_owned(), group }
}

fn reason(id: &str, title: Option<&str>, any: u64) -> ReasonRow {
    ReasonRow {
        id: id.to_owned(),
        title: title.map(str::to_owned),
        any,
        first: any * 2 / 3,
        only: any / 4,
        unknown: any / 20,
    }
}

fn histogram(shift: u64) -> Histogram {
    let customers: Vec<u64> = (0..20).map(|at: u64| 20 + at * (20 - at) * (7 + shift)).collect();
    let offered = customers.iter().enumerate().map(|(at, all)| all * (at as u64).saturating_sub(6) / 14).collect();
    let known: Vec<u64> = customers.iter().map(|all| all / 2).collect();
    let bad = known.iter().enumerate().map(|(at, all)| all * (20 - at as u64) / 60).collect();
    let edges = (0..=20).map(|at| 300.0 + f64::from(at) * 25.0).collect();
    Histogram { edges, customers, offered, known, bad, unknown: 214 }
}

fn table(name: &str) -> TableSummary {
    let row = |(at, conditions): (usize, &[&str])| TableRow {
        row: at + 1,
        conditions: conditions.iter().map(|text| (*text).to_owned()).collect(),
        group: group(4_000 - at as u64 * 900, 0.33 - at as f64 * 0.07, 2_000 - at as u64 * 500, 90 + at as u64 * 40),
    };
    let conditions: [&[&str]; 4] =
        [&["score >= 700", "income_cv < 0.2"], &["score >= 600"], &["score >= 500", "tenure_months > 12"], &[]];
    TableSummary { table: name.to_owned(), rows: conditions.into_iter().enumerate().map(row).collect(), undecided: 17 }
}

fn policy(role: &str, version: &str, offers: u64) -> PolicySummary {
    let refers = 1_204;
    let declines = 12_000 - offers - refers;
    let share = |number: u64| number as f64 / 12_000.0;
    let tenure =
        |(tenure, customers): (u32, u64)| TenureRow { tenure, customers, amount: i128::from(customers) * 20_000_000 };
    PolicySummary {
        role: role.to_owned(),
        name: "payday-ng".to_owned(),
        version: version.to_owned(),
        digest: format!("{version}c0ffee12345678901234567890abcdef1234567890abcdef").replace('.', ""),
        parameters: if role == "challenger" { vec![("cutoff".to_owned(), "540".to_owned())] } else { Vec::new() },
        outcomes: vec![
            outcome("offer", group(offers, share(offers), offers * 3 / 4, offers / 19)),
            outcome("refer", group(refers, share(refers), 100, 11)),
            outcome("decline", group(declines, share(declines), 0, 0)),
        ],
        amounts: Amounts {
            count: offers,
            sum: i128::from(offers) * 21_534_050,
            mean: Some(21_534_050 + offers as i64),
            least: Some(1_000_000),
            quartiles: Some([8_000_000, 18_500_000, 32_000_000 + offers as i64 * 100]),
            greatest: Some(100_000_000),
        },
        tenures: [(1, 1_200), (3, offers / 2), (6, offers / 4)].into_iter().map(tenure).collect(),
        reasons: vec![
            reason("R03", Some("Salary seen in each of the last three months, and none of them late"), declines),
            reason("R07", Some("No gambling above the limit"), offers / 9),
            reason("R11", None, 310),
            reason("INPUT_MISSING", None, 41),
        ],
        scores: Some(histogram(offers % 7)),
        unknown: vec![
            UnknownRow { metric: "income_cv".to_owned(), customers: 901, share: 0.0751 },
            UnknownRow { metric: "salary_gap_days_max".to_owned(), customers: 77, share: 0.0064 },
        ],
        tables: vec![table("grade")],
    }
}

fn swap_cell(champion: &str, challenger: &str, customers: u64) -> SwapCell {
    let known = if champion == "offer" { customers * 3 / 4 } else { 0 };
    SwapCell {
        champion: champion.to_owned(),
        challenger: challenger.to_owned(),
        group: group(customers, customers as f64 / 12_000.0, known, known / 14),
        champion_amount: if champion == "offer" { i128::from(customers) * 20_000_000 } else { 0 },
    }
}

fn flip(at: u64) -> FlipRow {
    let (champion, challenger) =
        [("decline", "offer"), ("offer", "decline"), ("offer", "offer"), ("refer", "offer")][at as usize % 4];
    let amount = |outcome: &str, minor: i64| (outcome == "offer").then_some(minor);
    let reasons =
        |outcome: &str| if outcome == "offer" { Vec::new() } else { vec!["R03".to_owned(), "R07".to_owned()] };
    FlipRow {
        customer: if at == 2 { HOSTILE.to_owned() } else { format!("NG-{:06}", at * 7_919 % 1_000_000) },
        champion: champion.to_owned(),
        challenger: challenger.to_owned(),
        champion_amount: amount(champion, 5_000_000 + at as i64 * 125_000),
        challenger_amount: amount(challenger, 7_500_000),
        champion_reasons: reasons(champion),
        challenger_reasons: reasons(challenger),
        causes: vec!["R03 no longer met".to_owned(), "score: income_cv 0.10..0.30".to_owned()],
        bad: [Some(true), Some(false), None][at as usize % 3],
    }
}

fn swap_set() -> SwapSet {
    let cells = [
        ("offer", "offer", 6_800),
        ("offer", "refer", 40),
        ("offer", "decline", 265),
        ("refer", "offer", 390),
        ("refer", "refer", 760),
        ("refer", "decline", 14),
        ("decline", "offer", 230),
        ("decline", "refer", 0),
        ("decline", "decline", 3_501),
    ];
    let cause =
        |(part, gained, lost, other): (&str, u64, u64, u64)| Cause { part: part.to_owned(), gained, lost, other };
    let concentration = |(by, value, changed, lift): (&str, &str, u64, f64)| Concentration {
        by: by.to_owned(),
        value: value.to_owned(),
        customers: 2_000,
        changed,
        lift: Some(lift),
    };
    SwapSet {
        cells: cells.into_iter().map(|(from, to, number)| swap_cell(from, to, number)).collect(),
        raised: AmountChange { customers: 812, amount: 4_512_000_000 },
        lowered: AmountChange { customers: 1, amount: 150_000 },
        causes: [
            ("score: income_cv 0.10..0.30", 402, 12, 90),
            ("R03 no longer met", 218, 0, 3),
            ("R07 is not met: gambling_share_of_income above the limit for this grade and tenure", 0, 180, 0),
            ("grade row 2 -> row 3", 0, 73, 719),
        ]
        .into_iter()
        .map(cause)
        .collect(),
        concentration: [
            ("region", "Lagos", 201, 1.8),
            ("region", "<b>Kano</b>", 40, 0.4),
            ("month", "2026-09", 120, 1.1),
        ]
        .into_iter()
        .map(concentration)
        .collect(),
        changed: 1_751,
        flips: (0..120).map(flip).collect(),
        effects: Some(ChangeEffects {
            changes: vec![
                ChangeEffect {
                    change: "require R03".to_owned(),
                    alone: Some(OfferEffect { gained: 182, lost: 0, amount: 512_000_000 }),
                    left_out: Some(OfferEffect { gained: 190, lost: 12, amount: 498_000_000 }),
                },
                ChangeEffect { change: format!("parameters.{HOSTILE}"), ..ChangeEffect::default() },
            ],
            whole: OfferEffect { gained: 377, lost: 62, amount: 912_000_000 },
            together_gained: 8,
            together_lost: 2,
        }),
    }
}

fn interval(value: f64, width: f64) -> Interval {
    Interval { value, low: (value - width).max(0.0), high: value + width, level: 0.95 }
}

fn discrimination(role: &str, power: f64) -> Discrimination {
    let curve = (0..=100).map(|at| (f64::from(at) / 100.0, libm::pow(f64::from(at) / 100.0, 1.0 / power))).collect();
    let band = |at: u32| ScoreBand {
        low: 300.0 + f64::from(at) * 50.0,
        high: 349.0 + f64::from(at) * 50.0,
        customers: 500,
        bad: 120 - u64::from(at) * 12,
        bad_rate: interval(0.24 / (1.0 + f64::from(at) * power / 4.0), 0.03),
        cumulative_bad: libm::pow(f64::from(at + 1) / 10.0, 1.0 / power),
        lift: 2.4 - f64::from(at) * 0.3,
        cumulative_lift: 2.4 - f64::from(at) * 0.15,
    };
    let bin = |at: u32| (0.01 + f64::from(at) * 0.03, 500, interval(0.015 + f64::from(at) * 0.027, 0.02));
    Discrimination {
        role: role.to_owned(),
        customers: 5_000,
        bad: 412,
        auc: Some(interval(power / (power + 1.0), 0.021)),
        gini: Some(2.0 * power / (power + 1.0) - 1.0),
        ks: Some((0.4123, 547.0)),
        curve,
        bands: (0..10).map(band).collect(),
        calibration: Some(Calibration {
            metric: "probability_of_default".to_owned(),
            bins: (0..8).map(bin).collect(),
            brier: 0.0712,
            hosmer_lemeshow: Some((9.31, 0.3167)),
            line: Some((-0.12, 0.941)),
        }),
    }
}

fn profit(role: &str, best: usize) -> ProfitCurve {
    let point = |at: usize| {
        let distance = (at as f64 - best as f64) / 30.0;
        ProfitPoint {
            cutoff: 300.0 + at as f64 * 5.0,
            approved: 5_000 - at as u64 * 50,
            approval_rate: 1.0 - at as f64 / 100.0,
            bad_rate: Some(0.12 - at as f64 * 0.001),
            loss: 9e8 - at as f64 * 8e6,
            expected_loss: Some(8e8 - at as f64 * 7e6),
            profit: 6.2e8 - distance * distance * 4e8,
        }
    };
    ProfitCurve {
        role: role.to_owned(),
        economics: vec![("lgd".to_owned(), "0.65".to_owned()), ("margin".to_owned(), "0.18".to_owned())],
        points: (0..100).map(point).collect(),
        best: Some(best),
        present: Some(500.0),
        without_outcome: 812,
    }
}

fn outcomes() -> OutcomeStatistics {
    let vintage = |at: u32| VintageCurve {
        cohort: format!("2026-{:02}", at + 1),
        loans: 400 + u64::from(at) * 31,
        bad_rates: (0..10 - at).map(|month| f64::from(month * (20 + at * 3)) / 3_000.0).collect(),
        later_bad: u64::from(at),
        undated_bad: u64::from(at == 1),
    };
    OutcomeStatistics {
        undated_loans: 0,
        known: 5_412,
        bad: 412,
        discrimination: vec![discrimination("champion", 3.1), discrimination("challenger", 4.2)],
        auc_difference: Some(Difference { value: 0.0516, standard_error: 0.011, p: Some(0.000_02) }),
        profit: vec![profit("champion", 46), profit("challenger", 38)],
        vintages: (0..7).map(vintage).collect(),
    }
}

fn segmentation(by: &str, values: &[&str]) -> Segmentation {
    let row = |(at, value): (usize, &&str)| SegmentRow {
        value: (*value).to_owned(),
        customers: 2_000 + at as u64 * 150,
        offered: vec![
            group(1_100 + at as u64 * 40, 0.2, 800, 40 + at as u64 * 6),
            group(1_200 + at as u64 * 60, 0.2, 750, 38 + at as u64 * 3),
        ],
    };
    let value_of = (by == "region").then(|| "challenger".to_owned());
    Segmentation { by: by.to_owned(), value_of, rows: values.iter().enumerate().map(row).collect() }
}

fn impact(role: &str, ratio: f64) -> AdverseImpact {
    let group = |value: &str, ratio: Option<f64>| ImpactGroup {
        value: value.to_owned(),
        customers: 3_000,
        offered: 1_500,
        rate: Some(0.5),
        ratio: ratio.map(|ratio| interval(ratio, 0.05)),
        is_reference: value == "35 to 49",
        is_below_four_fifths: ratio.is_some_and(|ratio| ratio < 0.8),
        p: ratio.map(|ratio| if ratio < 0.8 { 0.0004 } else { 0.31 }),
    };
    let groups = vec![
        group("18 to 24", Some(ratio)),
        group("25 to 34", Some(0.97)),
        group("35 to 49", Some(1.0)),
        group("75 and above", None),
    ];
    AdverseImpact { by: "age_band".to_owned(), role: role.to_owned(), groups }
}

fn stability(of: &str, moved: u64) -> Stability {
    let bin =
        |at: u64| (format!("{} to {}", at * 100, at * 100 + 100), 600 - at * 40, 560 + at * moved, 0.0041 * at as f64);
    Stability {
        of: of.to_owned(),
        index: 0.0131 * moved as f64,
        verdict: if moved > 8 { "shifted" } else { "stable" }.to_owned(),
        smoothing: 0.5,
        bins: (3..9).map(bin).collect(),
    }
}

/// Two policies with everything.
pub(super) fn sample_two_policies() -> Summary {
    Summary {
        engine: "lendwright 0.1.0".to_owned(),
        inputs: vec![
            InputRecord { name: "book.parquet".to_owned(), digest: "f00dfeed".repeat(8) },
            InputRecord { name: "outcomes & more.csv".to_owned(), digest: "12ab34cd".repeat(8) },
        ],
        customers: 12_000,
        days: Some(("2026-04-01".to_owned(), "2026-10-31".to_owned())),
        currency: ("566".to_owned(), 2),
        policies: vec![policy("champion", "1.4", 7_105), policy("challenger", "1.5", 7_420)],
        swap_set: Some(swap_set()),
        contenders: ["champion", "challenger", HOSTILE]
            .map(|role| Contender {
                role: role.to_owned(),
                offered: group(7_105, 0.59, 5_000, 300),
                gained: group(220, 0.02, 3, 1),
                lost: group(80, 0.01, 80, 9),
                auc: Some(interval(0.72, 0.03)),
                ..Contender::default()
            })
            .to_vec(),
        segments: vec![
            segmentation("month", &["2026-04", "2026-05", "2026-06", "2026-07", "2026-08", "2026-09", "2026-10"]),
            segmentation(
                "region",
                &["Abuja", "Kano", "Lagos", "a very long name of a region that has no room anywhere at all", "unknown"],
            ),
        ],
        outcomes: Some(outcomes()),
        stability: vec![stability("score", 12), stability("income_cv", 3)],
        adverse_impact: vec![impact("champion", 0.88), impact("challenger", 0.74)],
        aim: Some(Aim {
            aim: "same-approvals".to_owned(),
            parameter: "cutoff".to_owned(),
            from: "520".to_owned(),
            to: "540".to_owned(),
            reached: (0.5921, 0.5923),
            ..Aim::default()
        }),
        warnings: vec![
            "4,600 of 12,000 customers have no known outcome: bad rates of new offers are unknown.".to_owned(),
            format!("The customer {HOSTILE} stands twice in the input."),
        ],
    }
}

/// One policy without outcomes.
pub(super) fn sample_one_policy() -> Summary {
    let alone = PolicySummary { role: "policy".to_owned(), ..policy("champion", "1.4", 7_105) };
    let segments = sample_two_policies().segments.into_iter().map(|mut by| {
        by.rows.iter_mut().for_each(|row| row.offered.truncate(1));
        by
    });
    Summary {
        policies: vec![alone],
        swap_set: None,
        contenders: Vec::new(),
        segments: segments.collect(),
        outcomes: None,
        stability: Vec::new(),
        adverse_impact: Vec::new(),
        aim: None,
        warnings: Vec::new(),
        ..sample_two_policies()
    }
}

fn parameters(count: usize) -> Vec<(String, Vec<f64>)> {
    let cutoff = (0..13).map(|at| 460.0 + f64::from(at) * 10.0).collect();
    let share = (0..8).map(|at| 0.2 + f64::from(at) * 0.05).collect();
    vec![("cutoff".to_owned(), cutoff), ("gambling_share_max".to_owned(), share)].into_iter().take(count).collect()
}

fn sweep_point(values: Vec<f64>) -> SweepPoint {
    let (cutoff, share) = (values[0], values.get(1).copied().unwrap_or(0.4));
    let approval_rate = 0.9 - (cutoff - 460.0) / 400.0 + (share - 0.4) * 0.3;
    let bad_rate = 0.13 - (cutoff - 460.0) / 2_000.0 + (share - 0.2) * 0.05;
    let profit = 6e9 - (cutoff - 520.0).powi(2) * 1e6 - (share - 0.35).powi(2) * 4e9;
    let known = 0.95 - (560.0 - cutoff).max(0.0) / 400.0;
    SweepPoint {
        values,
        offers: (approval_rate * 12_000.0) as u64,
        approval_rate,
        amount: (approval_rate * 2.5e11) as i128,
        known: (approval_rate * 12_000.0 * known) as u64,
        bad: (approval_rate * 12_000.0 * known * bad_rate) as u64,
        bad_rate: Some(bad_rate),
        bad_rate_bounds: Some((bad_rate * known, bad_rate * known + 1.0 - known)),
        profit: Some(profit),
        profit_bounds: Some((profit - (1.0 - known) * 2e10, profit + (1.0 - known) * 4e9)),
    }
}

/// A sweep of one parameter or of two.
pub(super) fn sample_sweep_summary(count: usize) -> SweepSummary {
    let parameters = parameters(count);
    let mut combinations: Vec<Vec<f64>> = vec![Vec::new()];
    for (_, values) in &parameters {
        let longer = |one: &Vec<f64>| values.iter().map(|v| [one.clone(), vec![*v]].concat()).collect::<Vec<_>>();
        combinations = combinations.iter().flat_map(longer).collect();
    }
    let points: Vec<SweepPoint> = combinations.into_iter().map(sweep_point).collect();
    let tornado = |name: &str, effect: f64| TornadoRow {
        parameter: name.to_owned(),
        range: (0.2, 0.55),
        approval_rate: (0.75 - effect, 0.75 + effect * 0.6),
        bad_rate: (Some(0.08 - effect / 10.0), Some(0.08 + effect / 8.0)),
        bad_rate_bounds: (Some((0.06, 0.12)), Some((0.07, 0.21))),
        profit: (Some(5e9 - effect * 1e9), Some(5e9 + effect * 3e9)),
        profit_bounds: (Some((4.7e9, 5.1e9)), Some((2e9, 6e9))),
    };
    SweepSummary {
        left_out: Vec::new(),
        policy: "payday-ng 1.5".to_owned(),
        parameters,
        search: "grid".to_owned(),
        frontier: (0..points.len()).filter(|at| count == 1 || at % 8 == 0).collect(),
        worst_case_frontier: (0..points.len()).filter(|at| at % 8 == 0 && *at > points.len() / 2).collect(),
        best: Some(BestPoint { point: 2, gain: 3e7, held_out_gain: 1.2e7, parts: (5, 4) }),
        present: Some(points.len() / 2),
        points,
        tornado: vec![tornado("cutoff", 0.15), tornado("gambling_share_max", 0.05)],
    }
}
