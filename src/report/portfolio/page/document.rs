//! A page of HTML with its contents, which needs no other file and no network. It is complete without its script, which
//! only sorts and filters tables.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::page::{page_head_markup, visible_text};

/// A part of the page with its place in the contents.
pub(super) struct PageSection {
    id: &'static str,
    title: &'static str,
    body: Markup,
}

impl PageSection {
    pub(super) fn new(id: &'static str, title: &'static str, body: Markup) -> PageSection {
        PageSection { id, title, body }
    }
}

pub(super) fn render_html_document(title: &str, introduction: &Markup, sections: Vec<PageSection>) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            (page_head_markup(&html! { (visible_text(title)) }, include_str!("portfolio.css")))
            body.portfolio {
                a.skip href="#content" { "Skip to the numbers" }
                header { h1 { (visible_text(title)) } (introduction) }
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
