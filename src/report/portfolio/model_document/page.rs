//! A document as one page of HTML, without scripts. `maud` escapes every text.

use maud::{DOCTYPE, Markup, html};

use super::parts::{DocumentTable, Part, ReliabilityCurve, Section, SharePicture};
use crate::report::page::{page_head_markup, visible_text};

/// The side of the plot, and the room for what is written along it.
const SIDE: f64 = 320.0;
const ROOM: f64 = 44.0;

const STYLES: &str = "section { margin: 1.5rem 0; } svg.bar { width: 8rem; height: .8rem; } \
    rect.better { fill: var(--in); } rect.worse { fill: var(--bad); } svg.curve { width: 24rem; max-width: 100%; } \
    svg.curve text { font-size: 11px; fill: var(--soft); } circle { fill: var(--ink); } td code { min-width: 0; } \
    line.range { stroke: var(--ink); } line.right { stroke: var(--soft); stroke-dasharray: 4 3; } \
    polyline.share { fill: none; stroke: var(--ink); stroke-width: 2; }";

pub(super) fn render_document_page(title: &str, introduction: &str, sections: &[Section]) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            (page_head_markup(&html! { (visible_text(title)) }, STYLES))
            body {
                header {
                    h1 { (visible_text(title)) }
                    p.note { (text_markup(introduction)) }
                }
                nav aria-label="Sections" {
                    ol {
                        @for (at, section) in sections.iter().enumerate() {
                            li { a href={ "#s" (at + 1) } { (section.title) } }
                        }
                    }
                }
                main {
                    @for (at, section) in sections.iter().enumerate() {
                        section id={ "s" (at + 1) } {
                            h2 { (at + 1) ". " (section.title) }
                            p.note { (section.topic) }
                            @for part in &section.parts { (part_markup(part)) }
                        }
                    }
                }
            }
        }
    };
    markup.into_string()
}

fn part_markup(part: &Part) -> Markup {
    match part {
        Part::Paragraph(text) => html! { p { (text_markup(text)) } },
        Part::Heading(text) => html! { h3 { (text_markup(text)) } },
        Part::List(items) => html! { ul { @for item in items { li { (text_markup(item)) } } } },
        Part::Table(table) => table_markup(table),
        Part::Curve(curve) => curve_markup(curve),
        Part::Line(picture) => line_markup(picture),
    }
}

/// Text, with what is between two backticks as code.
fn text_markup(text: &str) -> Markup {
    let pieces: Vec<&str> = text.split('`').collect();
    // Without a partner for each backtick it is not known what is code.
    let are_pairs = pieces.len() % 2 == 1;
    if !are_pairs {
        return html! { (visible_text(text)) };
    }
    html! {
        @for (at, piece) in pieces.iter().enumerate() {
            @if at % 2 == 1 { code { (visible_text(piece)) } } @else { (visible_text(piece)) }
        }
    }
}

fn table_markup(table: &DocumentTable) -> Markup {
    let title = |at: usize| table.head.get(at).map_or("", |title| title.trim_start_matches('>').trim_start());
    let is_number = |at: usize| table.head.get(at).is_some_and(|title| title.starts_with('>'));
    html! {
        div.scroll {
            table {
                thead { tr {
                    @for at in 0..table.head.len() {
                        th.r[is_number(at)] scope="col" { (visible_text(title(at))) }
                    }
                } }
                tbody {
                    @for (at, row) in table.rows.iter().enumerate() {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                td.r[is_number(column)] data-is=(visible_text(title(column))) { (text_markup(cell)) }
                            }
                            @if let Some(bar) = table.bars.get(at) { td { (bar_markup(*bar)) } }
                        }
                    }
                }
            }
        }
    }
}

fn bar_markup(bar: f64) -> Markup {
    let length = (bar.abs().min(1.0) * 500.0).round() / 10.0;
    let (x, class) = if bar < 0.0 { (50.0 - length, "worse") } else { (50.0, "better") };
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect class=(class) x=(x) y="1" width=(length) height="8" {}
            line.axis x1="50" x2="50" y1="0" y2="10" {}
        }
    }
}

/// What was expected along, what came up; on the dashed line both are the same.
fn curve_markup(curve: &ReliabilityCurve) -> Markup {
    let most = curve.points.iter().flat_map(|point| [point.said, point.high]).fold(0.01, f64::max).min(1.0);
    let plot = Plot { most };
    let content = html! {
        @for point in &curve.points {
            @let x = plot.along(point.said);
            line.range x1=(x) x2=(x) y1=(plot.up(point.low)) y2=(plot.up(point.high.min(most))) {}
            circle cx=(plot.along(point.said)) cy=(plot.up(point.came)) r="3.5" {}
        }
    };
    plot.draw("The bad rate that came, by the bad rate that was expected", ["expected", "came"], &content)
}

/// A line, with that of chance.
fn line_markup(picture: &SharePicture) -> Markup {
    let plot = Plot { most: 1.0 };
    let point = |[along, up]: &[f64; 2]| format!("{},{}", plot.along(*along), plot.up(*up));
    let points: Vec<String> = picture.points.iter().map(point).collect();
    let content = html! { polyline.share points=(points.join(" ")) {} };
    plot.draw(picture.title, [picture.along, picture.up], &content)
}

/// A square plot of shares from 0 to the most, with the line on which both are the same.
struct Plot {
    most: f64,
}

impl Plot {
    fn along(&self, share: f64) -> f64 {
        ((ROOM + share / self.most * SIDE) * 10.0).round() / 10.0
    }

    fn up(&self, share: f64) -> f64 {
        ((12.0 + SIDE - share / self.most * SIDE) * 10.0).round() / 10.0
    }

    fn draw(&self, label: &str, [across, upwards]: [&str; 2], content: &Markup) -> Markup {
        let (along, up) = (|share| self.along(share), |share| self.up(share));
        let most = self.most;
        let (width, height) = (ROOM + SIDE + 12.0, SIDE + 12.0 + ROOM);
        html! {
            svg.curve viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(label) {
                line.axis x1=(along(0.0)) x2=(along(most)) y1=(up(0.0)) y2=(up(0.0)) {}
                line.axis x1=(along(0.0)) x2=(along(0.0)) y1=(up(0.0)) y2=(up(most)) {}
                line.right x1=(along(0.0)) x2=(along(most)) y1=(up(0.0)) y2=(up(most)) {}
                @for step in 0..=4 {
                    @let share = most * f64::from(step) / 4.0;
                    text x=(along(share)) y=(up(0.0) + 14.0) text-anchor="middle" { (format!("{:.1}%", share * 100.0)) }
                    text x=(ROOM - 4.0) y=(up(share) + 4.0) text-anchor="end" { (format!("{:.1}%", share * 100.0)) }
                }
                text x=(along(most / 2.0)) y=(up(0.0) + 32.0) text-anchor="middle" { (across) }
                text x="2" y="10" { (upwards) }
                (content)
            }
        }
    }
}
