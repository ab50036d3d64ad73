//! A page of HTML with its contents, which needs no other file and no network. It is complete without its script, which
//! only sorts and filters tables.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::page::{head, plain};

/// A part of the page with its place in the contents.
pub(super) struct Section {
    id: &'static str,
    title: &'static str,
    body: Markup,
}

impl Section {
    pub(super) fn new(id: &'static str, title: &'static str, body: Markup) -> Section {
        Section { id, title, body }
    }
}

pub(super) fn document(title: &str, introduction: &Markup, sections: Vec<Section>) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&html! { (plain(title)) }, include_str!("portfolio.css")))
            body.portfolio {
                a.skip href="#content" { "Skip to the numbers" }
                header { h1 { (plain(title)) } (introduction) }
                nav aria-label="Contents" {
                    ul.contents { @for section in &sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                }
                main id="content" tabindex="-1" {
                    @if sections.is_empty() { p { "There is nothing to show." } }
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (section.body)
                        }
                    }
                }
                script { (PreEscaped(include_str!("portfolio.js"))) }
            }
        }
    };
    markup.into_string()
}
