//! A backtest as text for a terminal.

use super::numbers::{
    format_count, format_p, format_percent, format_portfolio_money, p_in_words, percent_or_none, rate_with_range,
};
use crate::portfolio::summary::{
    AdverseImpact, Aim, ChangeEffect, ChangeEffects, Contender, Discrimination, GroupNumbers, OfferEffect,
    OutcomeStatistics, PolicySummary, ProfitCurve, Segmentation, Stability, Summary, SwapSet, VintageCurve,
};
use crate::report::aligned::{format_aligned_table, one_line};

/// How many rows of a long table are shown.
const SHOWN: usize = 15;

/// How many months of a vintage are shown.
const MONTHS: usize = 13;

/// The whole backtest.
pub fn render_backtest_text(summary: &Summary) -> String {
    let mut text = heading(summary);
    for warning in &summary.warnings {
        text += &format!("warning: {}\n", one_line(warning));
    }
    text += &format!("\n{}", headline(summary));
    if let Some(swap_set) = &summary.swap_set {
        text += &swap_set_text(swap_set, summary);
    }
    text += &contenders(summary);
    text += &reasons(summary);
    summary.policies.iter().for_each(|policy| text += &tables(policy));
    summary.segments.iter().for_each(|by| text += &segments(by, summary));
    text += &unknown(summary);
    if let Some(outcomes) = &summary.outcomes {
        text += &statistics(outcomes, summary);
    }
    summary.stability.iter().for_each(|one| text += &stability(one));
    summary.adverse_impact.iter().for_each(|one| text += &impact(one));
    text
}

fn heading(summary: &Summary) -> String {
    let policy = |policy: &PolicySummary| {
        let set: Vec<String> = policy.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let set = if set.is_empty() { String::new() } else { format!(" with {}", set.join(", ")) };
        let digest = policy.digest.get(..12).unwrap_or(&policy.digest);
        format!("{}: {} {} ({digest}){set}\n", policy.role, policy.name, policy.version)
    };
    let mut text: String = summary.policies.iter().map(policy).collect();
    let days = summary.days.as_ref().map_or(String::new(), |(from, to)| match from == to {
        true => format!(", on {from}"),
        false => format!(", from {from} to {to}"),
    });
    text += &format!("{} customers{days}\n", format_count(summary.customers));
    text + &summary.aim.as_ref().map_or(String::new(), aim)
}

fn aim(aim: &Aim) -> String {
    let ((champion, challenger), bounds) = (aim.reached, aim.reached_bounds);
    let mut text = format!(
        "{}: ${} set from {} to {}, where the champion reaches {} and the challenger {}\n",
        aim.aim,
        aim.parameter,
        aim.from,
        aim.to,
        rate_with_range(Some(champion), bounds.map(|bounds| bounds.0)),
        rate_with_range(Some(challenger), bounds.map(|bounds| bounds.1))
    );
    if let Some(other) = &aim.by_known_outcomes {
        text += &format!("customers with an outcome alone would allow {other}; with the others it may be worse\n");
    }
    text
}

/// The roles as titles of columns.
fn roles(summary: &Summary) -> Vec<String> {
    summary.policies.iter().map(|policy| format!(">{}", policy.role)).collect()
}

fn aligned(titles: Vec<String>, rows: &[Vec<String>]) -> String {
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    format_aligned_table(&titles, rows)
}

fn headline(summary: &Summary) -> String {
    let each = |show: &dyn Fn(&PolicySummary) -> String| summary.policies.iter().map(show).collect::<Vec<_>>();
    let row = |title: &str, show: &dyn Fn(&PolicySummary) -> String| {
        std::iter::once(title.to_owned()).chain(each(show)).collect::<Vec<_>>()
    };
    let outcome = |at: usize| {
        move |policy: &PolicySummary| {
            policy.outcomes.get(at).map_or(String::new(), |row| {
                format!("{} ({})", format_count(row.group.customers), percent_or_none(row.group.share))
            })
        }
    };
    let amount = |policy: &PolicySummary| format_portfolio_money(&summary.currency, policy.amounts.sum);
    let mean = |policy: &PolicySummary| {
        policy.amounts.mean.map_or("-".to_owned(), |mean| format_portfolio_money(&summary.currency, mean.into()))
    };
    let tenures = |policy: &PolicySummary| {
        let tenure =
            |row: &crate::portfolio::summary::TenureRow| format!("{}: {}", row.tenure, format_count(row.customers));
        policy.tenures.iter().map(tenure).collect::<Vec<_>>().join(", ")
    };
    let mut rows = vec![
        row("offer", &outcome(0)),
        row("refer", &outcome(1)),
        row("decline", &outcome(2)),
        row("amount offered", &amount),
        row("mean offer", &mean),
        row("customers by tenure", &tenures),
    ];
    if summary.outcomes.is_some() {
        let bad = |policy: &PolicySummary| {
            policy.outcomes.first().map_or(String::new(), |row| {
                let bounds = row.group.bad_rate_bounds;
                let bounds = bounds.map_or(String::new(), |(low, high)| {
                    format!(" ({} to {})", format_percent(low), format_percent(high))
                });
                format!("{}{bounds}", percent_or_none(row.group.bad_rate))
            })
        };
        rows.push(row("bad rate of offers", &bad));
    }
    let titles = std::iter::once(String::new()).chain(roles(summary)).collect();
    let mut text = aligned(titles, &rows);
    if summary.outcomes.is_some() {
        text +=
            "Bad rates are of customers with an outcome; in brackets, if all others are good, and if all are bad.\n";
    }
    text
}

/// Several policies, compared with the champion.
fn contenders(summary: &Summary) -> String {
    if summary.contenders.is_empty() {
        return String::new();
    }
    let has_outcomes = summary.outcomes.is_some();
    let row = |one: &Contender| {
        let mut cells = vec![
            one_line(&one.role),
            format!("{} ({})", format_count(one.offered.customers), percent_or_none(one.offered.share)),
            format_portfolio_money(&summary.currency, one.offered.amount),
            format_count(one.gained.customers),
            format_count(one.lost.customers),
        ];
        if has_outcomes {
            cells.push(rate_with_range(one.offered.bad_rate, one.offered.bad_rate_bounds));
            cells.push(
                one.auc.map_or("-".to_owned(), |auc| format!("{:.3} ({:.3} to {:.3})", auc.value, auc.low, auc.high)),
            );
        }
        cells
    };
    let rows: Vec<_> = summary.contenders.iter().map(row).collect();
    let titles = ["policy", ">offers", ">amount", ">gained", ">lost", ">bad rate of offers", ">AUC (95%)"];
    format!("\n{}", format_aligned_table(&titles[..if has_outcomes { 7 } else { 5 }], &rows))
}

fn swap_set_text(swap: &SwapSet, summary: &Summary) -> String {
    let outcomes = ["offer", "refer", "decline"];
    let cell = |champion: &str, challenger: &str| {
        let found = swap.cells.iter().find(|cell| cell.champion == champion && cell.challenger == challenger);
        found.map_or(String::new(), |cell| format_count(cell.group.customers))
    };
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .map(|champion| {
            let cells = outcomes.iter().map(|challenger| cell(champion, challenger));
            std::iter::once((*champion).to_owned()).chain(cells).collect()
        })
        .collect();
    let mut text = "\nSwap set: champion in rows, challenger in columns\n".to_owned();
    text += &format_aligned_table(&["", ">offer", ">refer", ">decline"], &rows);
    let moved: Vec<_> = swap
        .cells
        .iter()
        .filter(|cell| cell.champion != cell.challenger && cell.group.customers > 0)
        .map(|cell| {
            let group = &cell.group;
            let bounds = group
                .bad_rate_bounds
                .map_or(String::new(), |(low, high)| format!("{} to {}", format_percent(low), format_percent(high)));
            vec![
                format!("{} -> {}", cell.champion, cell.challenger),
                format_count(group.customers),
                format_portfolio_money(&summary.currency, cell.champion_amount),
                format_portfolio_money(&summary.currency, group.amount),
                format_count(group.known),
                percent_or_none(group.bad_rate),
                bounds,
            ]
        })
        .collect();
    if !moved.is_empty() {
        let titles =
            ["moved", ">customers", ">offered before", ">offered now", ">known", ">bad rate", ">if all good or bad"];
        let shown = if summary.outcomes.is_some() { titles.len() } else { 4 };
        let moved: Vec<Vec<String>> = moved.into_iter().map(|row| row.into_iter().take(shown).collect()).collect();
        text += &format!("\n{}", format_aligned_table(&titles[..shown], &moved));
    }
    text += &format!(
        "Offers from both: {} raised by {}, {} lowered by {}\n",
        format_count(swap.raised.customers),
        format_portfolio_money(&summary.currency, swap.raised.amount),
        format_count(swap.lowered.customers),
        format_portfolio_money(&summary.currency, swap.lowered.amount)
    );
    text += &swap.effects.as_ref().map_or(String::new(), |effects| change_effects(effects, summary));
    text += &causes(swap);
    text += &concentration(swap);
    text
}

fn causes(swap: &SwapSet) -> String {
    if swap.causes.is_empty() {
        return String::new();
    }
    let row = |cause: &crate::portfolio::summary::Cause| {
        vec![one_line(&cause.part), format_count(cause.gained), format_count(cause.lost), format_count(cause.other)]
    };
    let rows: Vec<_> = swap.causes.iter().take(SHOWN).map(row).collect();
    let titles = ["what decides otherwise", ">offers gained", ">offers lost", ">other changes"];
    let text = format_aligned_table(&titles, &rows);
    format!("\n{text}{}", more(swap.causes.len()))
}

fn change_effects(effects: &ChangeEffects, summary: &Summary) -> String {
    let cells = |effect: &Option<OfferEffect>| match effect {
        Some(effect) => [
            format!("+{} -{}", format_count(effect.gained), format_count(effect.lost)),
            format_portfolio_money(&summary.currency, effect.amount),
        ],
        None => ["-".to_owned(), "-".to_owned()],
    };
    let row = |change: &ChangeEffect| {
        let cells = [cells(&change.alone), cells(&change.left_out)].concat();
        [one_line(&change.change)].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = effects.changes.iter().take(SHOWN).map(row).collect();
    let [offers, amount] = cells(&Some(effects.whole));
    rows.push(vec!["all together".to_owned(), offers, amount, String::new(), String::new()]);
    let titles = ["what changed", ">alone: offers", ">amount", ">lost without it: offers", ">amount"];
    let mut text = format!("\n{}{}", format_aligned_table(&titles, &rows), more(effects.changes.len()));
    if effects.together_gained + effects.together_lost > 0 {
        text += &format!(
            "{} offers gained and {} lost only by several changes together\n",
            format_count(effects.together_gained),
            format_count(effects.together_lost)
        );
    }
    text
}

fn concentration(swap: &SwapSet) -> String {
    let mut rows: Vec<_> = swap.concentration.iter().filter(|row| row.changed > 0).collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by(|one, other| other.lift.unwrap_or(0.0).total_cmp(&one.lift.unwrap_or(0.0)));
    let row = |row: &&crate::portfolio::summary::Concentration| {
        let lift = row.lift.map_or("-".to_owned(), |lift| format!("{lift:.2}"));
        vec![
            format!("{} = {}", row.by, one_line(&row.value)),
            format_count(row.customers),
            format_count(row.changed),
            lift,
        ]
    };
    let all = rows.len();
    let rows: Vec<_> = rows.iter().take(SHOWN).map(row).collect();
    format!(
        "\n{}{}",
        format_aligned_table(&["where outcomes change", ">customers", ">changed", ">of average"], &rows),
        more(all)
    )
}

fn more(all: usize) -> String {
    if all > SHOWN { format!("and {} more\n", all - SHOWN) } else { String::new() }
}

fn reasons(summary: &Summary) -> String {
    let mut ids: Vec<(&str, Option<&str>)> = Vec::new();
    for row in summary.policies.iter().flat_map(|policy| &policy.reasons) {
        if !ids.iter().any(|(id, _)| *id == row.id) {
            ids.push((&row.id, row.title.as_deref()));
        }
    }
    if ids.is_empty() {
        return String::new();
    }
    let cells = |id: &str| {
        let row = |policy: &PolicySummary| {
            let row = policy.reasons.iter().find(|row| row.id == id);
            row.map_or([0; 3], |row| [row.any, row.first, row.only]).map(format_count)
        };
        summary.policies.iter().flat_map(row).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = ids
        .iter()
        .map(|(id, title)| {
            std::iter::once(one_line(&crate::report::name_with_title(id, *title))).chain(cells(id)).collect()
        })
        .collect();
    let mut titles = vec!["reason".to_owned()];
    for policy in &summary.policies {
        let role = if summary.policies.len() > 1 { format!("{}: ", policy.role) } else { String::new() };
        titles.extend([format!(">{role}any"), ">first".to_owned(), ">only".to_owned()]);
    }
    format!("\n{}", aligned(titles, &rows))
}

fn tables(policy: &PolicySummary) -> String {
    let mut text = String::new();
    for found in &policy.tables {
        let has_outcomes = found.rows.iter().any(|row| row.group.known > 0);
        let row = |row: &crate::portfolio::summary::TableRow| {
            let group = &row.group;
            let mut cells = vec![
                row.row.to_string(),
                one_line(&row.conditions.join(" | ")),
                format_count(group.customers),
                percent_or_none(group.share),
            ];
            if has_outcomes {
                cells.extend([format_count(group.known), percent_or_none(group.bad_rate)]);
            }
            cells
        };
        let rows: Vec<_> = found.rows.iter().map(row).collect();
        let titles = [">row", "conditions", ">customers", ">share", ">known", ">bad rate"];
        let shown = if has_outcomes { titles.len() } else { 4 };
        text += &format!("\nTable {}, {}\n{}", found.table, policy.role, format_aligned_table(&titles[..shown], &rows));
        if found.undecided > 0 {
            text += &format!("no row: {} customers\n", format_count(found.undecided));
        }
    }
    text
}

fn segments(by: &Segmentation, summary: &Summary) -> String {
    let row = |row: &crate::portfolio::summary::SegmentRow| {
        let rates = row.offered.iter().map(|group| percent_or_none(group.share));
        let mut cells = vec![one_line(&row.value), format_count(row.customers)];
        cells.extend(rates);
        if summary.outcomes.is_some() {
            let rate = |group: &GroupNumbers| rate_with_range(group.bad_rate, group.bad_rate_bounds);
            cells.extend(row.offered.iter().map(rate));
        }
        cells
    };
    let rows: Vec<_> = by.rows.iter().map(row).collect();
    let mut titles = vec![by.by.clone(), ">customers".to_owned()];
    titles.extend(summary.policies.iter().map(|policy| format!(">{} offers", policy.role)));
    if summary.outcomes.is_some() {
        titles.extend(summary.policies.iter().map(|policy| format!(">{} bad rate", policy.role)));
    }
    let of_role =
        by.value_of.as_ref().map_or(String::new(), |role| format!("{} is that of the {role} for both\n", by.by));
    format!("\n{}{of_role}", aligned(titles, &rows))
}

fn unknown(summary: &Summary) -> String {
    let Some(policy) = summary.policies.last().filter(|policy| !policy.unknown.is_empty()) else {
        return String::new();
    };
    let row = |row: &crate::portfolio::summary::UnknownRow| {
        vec![row.metric.clone(), format_count(row.customers), format_percent(row.share)]
    };
    let rows: Vec<_> = policy.unknown.iter().take(SHOWN).map(row).collect();
    format!(
        "\n{}{}",
        format_aligned_table(&["unknown metric", ">customers", ">share"], &rows),
        more(policy.unknown.len())
    )
}

fn statistics(outcomes: &OutcomeStatistics, summary: &Summary) -> String {
    let mut text = format!("\nOutcomes: {} known, {} bad\n", format_count(outcomes.known), format_count(outcomes.bad));
    outcomes.discrimination.iter().for_each(|one| text += &discrimination(one));
    if let Some(difference) = &outcomes.auc_difference {
        text += &format!(
            "AUC of the challenger less that of the champion: {:+.4} (standard error {:.4}, {})\n",
            difference.value,
            difference.standard_error,
            difference.p.map_or_else(|| "no p value".to_owned(), p_in_words)
        );
    }
    outcomes.profit.iter().for_each(|one| text += &profit(one, summary));
    text += &vintages(&outcomes.vintages);
    text
}

fn discrimination(found: &Discrimination) -> String {
    let mut text = format!(
        "\nScore of the {}: {} with an outcome, {} bad\n",
        found.role,
        format_count(found.customers),
        format_count(found.bad)
    );
    if let Some(auc) = &found.auc {
        text += &format!(
            "AUC {:.4} ({:.0}%: {:.4} to {:.4}), Gini {:.4}",
            auc.value,
            auc.level * 100.0,
            auc.low,
            auc.high,
            found.gini.unwrap_or_default()
        );
        text += &found.ks.map_or("\n".to_owned(), |(ks, at)| format!(", KS {ks:.4} at {at}\n"));
    }
    let row = |band: &crate::portfolio::summary::ScoreBand| {
        vec![
            format!("{}..{}", band.low, band.high),
            format_count(band.customers),
            format_count(band.bad),
            format_percent(band.bad_rate.value),
            format!("{} to {}", format_percent(band.bad_rate.low), format_percent(band.bad_rate.high)),
            format!("{:.2}", band.lift),
            format_percent(band.cumulative_bad),
            format!("{:.2}", band.cumulative_lift),
        ]
    };
    let rows: Vec<_> = found.bands.iter().map(row).collect();
    if !rows.is_empty() {
        let titles = ["scores", ">customers", ">bad", ">bad rate", ">95%", ">lift", ">gain", ">lift so far"];
        text += &format_aligned_table(&titles, &rows);
    }
    if let Some(calibration) = &found.calibration {
        let rows: Vec<_> = calibration
            .bins
            .iter()
            .map(|(predicted, customers, observed)| {
                vec![
                    format_percent(*predicted),
                    format_count(*customers),
                    format_percent(observed.value),
                    format!("{} to {}", format_percent(observed.low), format_percent(observed.high)),
                ]
            })
            .collect();
        text += &format!("\nCalibration of {}: Brier score {:.4}", calibration.metric, calibration.brier);
        if let Some((statistic, p)) = calibration.hosmer_lemeshow {
            text += &format!(", Hosmer-Lemeshow {statistic:.2} ({})", p_in_words(p));
        }
        if let Some((intercept, slope)) = calibration.line {
            text += &format!(", intercept {intercept:.3}, slope {slope:.3}");
        }
        text += &format!("\n{}", format_aligned_table(&[">predicted", ">customers", ">observed", ">95%"], &rows));
    }
    text
}

fn profit(curve: &ProfitCurve, summary: &Summary) -> String {
    let declared: Vec<String> = curve.economics.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut text = format!("\nProfit over the cut-off, {} ({})\n", curve.role, declared.join(", "));
    let best = curve.best.and_then(|best| curve.points.get(best));
    let step = curve.points.len().div_ceil(SHOWN).max(1);
    let money = |minor: f64| format_portfolio_money(&summary.currency, minor.round() as i128);
    let row = |point: &crate::portfolio::summary::ProfitPoint| {
        vec![
            format!("{}", point.cutoff),
            format_count(point.approved),
            format_percent(point.approval_rate),
            percent_or_none(point.bad_rate),
            money(point.loss),
            point.expected_loss.map_or("-".to_owned(), money),
            money(point.profit),
        ]
    };
    let rows: Vec<_> = curve.points.iter().step_by(step).map(row).collect();
    let titles = [">cut-off", ">approved", ">rate", ">bad rate", ">loss", ">expected loss", ">profit"];
    text += &format_aligned_table(&titles, &rows);
    if let Some(best) = best {
        text += &format!(
            "best cut-off: {}, profit {}\n",
            best.cutoff,
            format_portfolio_money(&summary.currency, best.profit.round() as i128)
        );
    }
    if curve.without_outcome > 0 {
        text += &format!("{} customers without an outcome count nowhere here\n", format_count(curve.without_outcome));
    }
    text
}

fn vintages(curves: &[VintageCurve]) -> String {
    if curves.is_empty() {
        return String::new();
    }
    let months = curves.iter().map(|curve| curve.bad_rates.len()).max().unwrap_or(0);
    let step = months.div_ceil(MONTHS).max(1);
    let shown: Vec<usize> = (0..months).step_by(step).collect();
    let row = |curve: &VintageCurve| {
        let rates = shown.iter().map(|month| percent_or_none(curve.bad_rates.get(*month).copied()).replace('-', ""));
        let counts = [curve.loans, curve.later_bad, curve.undated_bad].map(format_count);
        [curve.cohort.clone()].into_iter().chain(counts).chain(rates).collect::<Vec<_>>()
    };
    let rows: Vec<_> = curves.iter().map(row).collect();
    let mut titles = ["month of loan", ">loans", ">bad later", ">bad without a day"].map(str::to_owned).to_vec();
    titles.extend(shown.iter().map(|month| format!(">{month}")));
    let undated = curves.iter().any(|curve| curve.undated_bad > 0);
    let note = "bad loans without a usable day of going bad are left out of the curves, which are too low\n";
    let note = if undated { note } else { "" };
    format!("\nBad by full months on book\n{}{note}", aligned(titles, &rows))
}

fn stability(one: &Stability) -> String {
    let rows: Vec<_> = one
        .bins
        .iter()
        .map(|(name, base, other, adds)| {
            vec![name.clone(), format_count(*base), format_count(*other), format!("{adds:.4}")]
        })
        .collect();
    format!(
        "\nPSI of {}: {:.4}, {} (each count plus {})\n{}",
        one.of,
        one.index,
        one.verdict,
        one.smoothing,
        format_aligned_table(&["bin", ">base", ">later", ">adds"], &rows)
    )
}

fn impact(one: &AdverseImpact) -> String {
    let row = |group: &crate::portfolio::summary::ImpactGroup| {
        let ratio = match (&group.ratio, group.is_reference) {
            (_, true) => "reference".to_owned(),
            (Some(ratio), _) => format!("{:.3} ({:.3} to {:.3})", ratio.value, ratio.low, ratio.high),
            (None, _) => "too few".to_owned(),
        };
        let below = if group.is_below_four_fifths { "below 4/5" } else { "" };
        vec![
            one_line(&group.value),
            format_count(group.customers),
            format_count(group.offered),
            percent_or_none(group.rate),
            ratio,
            group.p.map_or(String::new(), format_p),
            below.to_owned(),
        ]
    };
    let rows: Vec<_> = one.groups.iter().map(row).collect();
    let titles = [one.by.as_str(), ">customers", ">offers", ">rate", ">ratio", ">p", ""];
    format!("\nOffers by {}, {}\n{}", one.by, one.role, format_aligned_table(&titles, &rows))
}
