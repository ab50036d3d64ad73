//! Templates: what the records of a source have in common, byte for byte. Most records repeat the keys and half of the
//! values of the one before. Such a record is compared with a template, and only the differences are read. Any other
//! record is read as a whole, so a template never changes the result.

use crate::statement::formats::json::prefix_compare::Prefix;
use crate::statement::formats::json::scanner::{Mark, Scanner, Takes};
use crate::statement::provider::field::{FLAT, Field};
use crate::statement::provider::json_record::{JsonRecord, Placed};
use crate::statement::provider::record::read_placed;

/// Fields whose value is expected to differ in each record. Others are learned.
const VARYING: [Field; 14] = [
    Field::Id,
    Field::OtherId,
    Field::Desc,
    Field::FlatDesc,
    Field::Code,
    Field::TransIso,
    Field::TransBank,
    Field::ClearedIso,
    Field::ClearedBank,
    Field::Credit,
    Field::Debit,
    Field::Balance,
    Field::Reference,
    Field::FlatReference,
];

/// Of these, the fields that many records share with the one before.
const DAYS: [Field; 4] = [Field::TransIso, Field::TransBank, Field::ClearedIso, Field::ClearedBank];

/// The most layouts known at a time. A source that omits keys has several.
const TEMPLATES_MAX: usize = 4;

/// After this many records in a row that no template fits, templates are not tried for a while.
const PATIENCE: u32 = 32;

/// For how many records templates are then not tried.
const REST: u32 = 512;

/// If customers have fewer records in a row than this, the customer counts as a varying field.
const RUN: u32 = 4;

/// One layout: the text that all its records have, with holes where they differ.
struct RecordTemplate<'s> {
    /// The text before the first value.
    lead: &'s str,
    holes: Vec<Hole<'s>>,
    after: Prefix<'s>,
    /// The record that it was made from.
    kept: JsonRecord<'s>,
    /// The fields that may differ between two of its records.
    fresh: u64,
    reads: u32,
}

struct Hole<'s> {
    /// The text before it.
    before: Prefix<'s>,
    placed: Placed,
    /// Which JSON values are its value as written.
    takes: Takes,
    /// Whether consecutive records often have the same value.
    lasts: bool,
}

/// The layouts of a source.
pub(crate) struct RecordTemplates<'s> {
    cut: Vec<RecordTemplate<'s>>,
    /// The template whose values the record holds.
    current: Option<usize>,
    varying: u64,
    misses: u32,
    resting: u32,
}

impl Default for RecordTemplates<'_> {
    fn default() -> Self {
        let varying = VARYING.iter().fold(0, |set, field| set | field.bit());
        RecordTemplates { cut: Vec::with_capacity(TEMPLATES_MAX), current: None, varying, misses: 0, resting: 0 }
    }
}

impl<'s> RecordTemplates<'s> {
    /// Reads the record that begins here into `record`, if a template fits. Otherwise the scanner stays where it is.
    #[inline]
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'s>, record: &mut JsonRecord<'s>) -> bool {
        if let Some(template) = self.current.and_then(|current| self.cut.get_mut(current)) {
            record.begin_like(&template.kept, template.fresh);
            if template.read(scanner, record, true) {
                return true;
            }
        }
        self.read_otherwise(scanner, record)
    }

    /// Reads the record by one of the other layouts.
    fn read_otherwise(&mut self, scanner: &mut Scanner<'s>, record: &mut JsonRecord<'s>) -> bool {
        let failed = self.current.take();
        for (at, template) in self.cut.iter_mut().enumerate().filter(|(at, _)| Some(*at) != failed) {
            record.clone_from(&template.kept);
            record.begin_like(&template.kept, u64::MAX);
            if template.read(scanner, record, false) {
                self.current = Some(at);
                return true;
            }
        }
        false
    }

    /// The text with which records begin, if it is known.
    pub(crate) fn lead(&self) -> Option<&'s str> {
        self.current.and_then(|current| self.cut.get(current)).map(|template| template.lead)
    }

    /// Forgets the last record, because it was dropped: it is not the last row of the columns.
    pub(crate) fn forget(&mut self) {
        self.current = None;
    }

    /// Makes a template from the text between `from` and here, which `record` holds and which was kept.
    pub(crate) fn learn(&mut self, scanner: &Scanner<'s>, record: &mut JsonRecord<'s>, from: usize) {
        self.current = None;
        if self.resting > 0 {
            self.resting -= 1;
            return;
        }
        let reads = self.cut.iter().map(|template| template.reads).max().unwrap_or(0);
        self.misses = if reads > 0 { 0 } else { self.misses + 1 };
        if self.misses > PATIENCE {
            (self.misses, self.resting) = (0, REST);
            self.cut.clear();
            return;
        }
        self.note_varying(record);
        let Some(template) = cut_record_template(scanner, record, from, self.varying) else { return };
        if self.cut.len() == TEMPLATES_MAX {
            self.cut.remove(0);
        }
        self.cut.iter_mut().for_each(|template| template.reads = 0);
        self.cut.push(template);
        self.current = Some(self.cut.len() - 1);
    }

    /// Notes the fields in which this record differs from the last template's, if both belong to the same customer.
    fn note_varying(&mut self, record: &JsonRecord<'s>) {
        let Some(last) = self.cut.last() else { return };
        let differs =
            |placed: &&Placed| last.kept.has(placed.field) && last.kept.get(placed.field) != record.get(placed.field);
        let differing = record.layout.iter().filter(differs).fold(0, |set, placed| set | placed.field.bit());
        let is_next_customer = differing & Field::Customer.bit() != 0 && last.reads >= RUN;
        if !is_next_customer && differing & !self.varying != 0 {
            self.varying |= differing;
            self.cut.clear();
        }
    }
}

impl<'s> RecordTemplate<'s> {
    /// `follows`: whether the last record that this template read is the last row.
    #[inline]
    fn read(&mut self, scanner: &mut Scanner<'s>, record: &mut JsonRecord<'s>, follows: bool) -> bool {
        let start = scanner.mark();
        let fits = self.fill(scanner, record, &start, follows).is_some();
        if fits {
            scanner.at_depth(&start, 0);
            self.reads += 1;
        } else {
            scanner.back_to(&start);
        }
        fits
    }

    #[inline]
    fn fill(&self, scanner: &mut Scanner<'s>, record: &mut JsonRecord<'s>, start: &Mark, follows: bool) -> Option<()> {
        for hole in &self.holes {
            if !scanner.passes(&hole.before) {
                return None;
            }
            let field = hole.placed.field;
            if hole.lasts && follows && record.source(field).is_some_and(|last| scanner.passes_text(last)) {
                record.stays(field);
                continue;
            }
            // Most values are taken as written.
            let at = scanner.at();
            if let Some(text) = scanner.plain(hole.takes) {
                record.set_text(field, at, text);
                continue;
            }
            if scanner.passes_null() {
                record.set_null(field, at);
                continue;
            }
            scanner.at_depth(start, hole.placed.level.depth());
            read_placed(scanner, record, hole.placed).ok()?;
        }
        scanner.passes(&self.after).then_some(())
    }
}

/// Makes the template of a record, if its varying values can be separated from the constant text.
fn cut_record_template<'s>(
    scanner: &Scanner<'s>,
    record: &mut JsonRecord<'s>,
    from: usize,
    varying: u64,
) -> Option<RecordTemplate<'s>> {
    // Repaired values, and values joined with another field, are not constant.
    if record.text_repaired > 0 || record.misshapen > 0 || record.has(Field::OtherPrepositions) {
        return None;
    }
    let mut holes = Vec::new();
    let mut at = from;
    let mut fresh = 0;
    for placed in record.layout.iter().filter(|placed| varying & placed.field.bit() != 0) {
        let mut value = scanner.at_place(placed.at);
        value.skip_value().ok()?;
        let takes = placed.shape.takes();
        let lasts = DAYS.contains(&placed.field);
        holes.push(Hole { before: Prefix::new(scanner.between(at, placed.at)), placed: *placed, takes, lasts });
        at = value.at();
        fresh |= placed.field.bit();
    }
    let fields = record.layout.iter().fold(0, |set, placed| set | placed.field.bit());
    record.keep_only(fields);
    for (flat, field, _) in FLAT {
        fresh |= if fresh & flat.bit() != 0 { field.bit() } else { 0 };
    }
    let lead = record.layout.first().map_or("", |first| scanner.between(from, first.at));
    let mut template = RecordTemplate {
        lead,
        holes,
        after: Prefix::new(scanner.between(at, scanner.at())),
        kept: record.clone(),
        fresh,
        reads: 0,
    };
    // Reading its own record shows how many of the placeholders are in the constant text.
    template.kept.placeholder_text = 0;
    let mut again = record.clone();
    again.begin_like(&template.kept, fresh);
    template.fill(&mut scanner.at_place(from), &mut again, &scanner.mark(), false)?;
    template.kept.placeholder_text = record.placeholder_text.checked_sub(again.placeholder_text)?;
    Some(template)
}
