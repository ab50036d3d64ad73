//! Takes the difference of two policies apart, so that each change can be tried alone and left out: rule files in which
//! some parts are those of one policy and the rest those of the other.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

/// The rule files of two policies, by the same names, and the parts in which they differ.
#[derive(Debug)]
pub struct Blend {
    files: Vec<(String, BlendFile)>,
    parts: Vec<BlendPart>,
    /// Parameters that are set for a run: by name, the values of the first policy and of the second.
    set: BTreeMap<String, [Option<String>; 2]>,
}

/// A file as both policies have it.
#[derive(Debug)]
enum BlendFile {
    /// Rules; definitions that only one has are in both.
    Rules(Box<[DocumentMut; 2]>),
    /// Rows of a table.
    Rows([String; 2]),
}

impl BlendFile {
    fn rules(&self, side: usize) -> Option<&DocumentMut> {
        match self {
            BlendFile::Rules(documents) => Some(&documents[side]),
            BlendFile::Rows(_) => None,
        }
    }
}

/// One part that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlendPart {
    /// In words: `require R06`, `parameters.max_betting_share`, `score.item income_cv`.
    pub name: String,
    file: usize,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A file of rows, whole.
    Rows(String),
    /// A section of the file, whole.
    Section(String),
    /// A key of a section.
    Key(String, String),
    /// A table of an array of tables: the section, the key in it if the array is there, and what the table is known by.
    Member(String, Option<&'static str>, String),
    /// A parameter that is set for a run.
    Set(String),
}

/// Sections whose entries decide by themselves. An entry of any other that nothing uses changes nothing.
const DECIDING: [&str; 4] = ["policy", "require", "score", "offer"];

/// Keys of `[policy]` that decide nothing.
const OF_THE_FILE: [&str; 4] = ["name", "version", "description", "doc"];

/// A mixture of two policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlendedTexts {
    /// The files: names and texts.
    pub texts: Vec<(String, String)>,
    /// The parameters to set.
    pub set: Vec<(String, String)>,
}

/// Values of parameters that are set for a run.
pub type SetParameters = [(String, String)];

impl Blend {
    /// Takes two policies apart: for each file its name and the text of both.
    ///
    /// # Errors
    /// In words, if a text is not TOML.
    pub fn new(
        texts: &[(String, String, String)],
        first_set: &SetParameters,
        second_set: &SetParameters,
    ) -> Result<Blend, String> {
        let mut blend = Blend { files: Vec::new(), parts: Vec::new(), set: BTreeMap::new() };
        for (side, parameters) in [first_set, second_set].into_iter().enumerate() {
            for (name, value) in parameters {
                blend.set.entry(name.clone()).or_default()[side] = Some(value.clone());
            }
        }
        for (name, before, after) in texts {
            let file = blend.files.len();
            if [".csv", ".parquet"].iter().any(|ending| name.ends_with(ending)) {
                let place = Place::Rows(name.clone());
                blend.parts.extend((before != after).then(|| BlendPart { name: in_words(&place), file, place }));
                blend.files.push((name.clone(), BlendFile::Rows([before.clone(), after.clone()])));
                continue;
            }
            let read =
                |text: &String| text.parse::<DocumentMut>().map_err(|error| format!("{name}: {}", error.message()));
            let mut documents = [read(before)?, read(after)?];
            define_in_both(&mut documents);
            let places = differing_places(&documents);
            // A parameter that is set for a run is not what the file says.
            let is_set = |place: &Place| {
                matches!(place, Place::Key(section, key)
                if section == "parameters" && blend.set.contains_key(key))
            };
            let parts = places.into_iter().filter(|place| !is_set(place));
            let parts: Vec<BlendPart> = parts.map(|place| BlendPart { name: in_words(&place), file, place }).collect();
            blend.parts.extend(parts);
            blend.files.push((name.clone(), BlendFile::Rules(Box::new(documents))));
        }
        let set = blend.set.keys().filter(|name| blend.is_set_otherwise(name));
        let set = set.map(|name| Place::Set(name.clone()));
        blend.parts.extend(set.map(|place| BlendPart { name: in_words(&place), file: 0, place }).collect::<Vec<_>>());
        Ok(blend)
    }

    /// Whether a parameter that is set for one run has another value in the other, or in the file.
    fn is_set_otherwise(&self, name: &str) -> bool {
        let [before, after] = &self.set[name];
        let in_file = |side: usize| self.files.iter().find_map(|(_, file)| value_of_parameter(file.rules(side)?, name));
        let value = |set: &Option<String>, side: usize| set.clone().or_else(|| in_file(side));
        value(before, 0) != value(after, 1)
    }

    /// The parts that differ, in the order of the files.
    pub fn parts(&self) -> &[BlendPart] {
        &self.parts
    }

    /// The files with these parts as the second policy has them, and all others as the first has: names and texts. Also
    /// the parameters to set.
    pub fn texts(&self, second: &[bool]) -> BlendedTexts {
        let mut documents: Vec<Option<DocumentMut>> =
            self.files.iter().map(|(_, file)| file.rules(0).cloned()).collect();
        let mut has_new_rows = vec![false; self.files.len()];
        let mut set: BTreeMap<&String, &String> =
            self.set.iter().filter_map(|(name, [before, _])| Some((name, before.as_ref()?))).collect();
        for part in self.parts.iter().zip(second).filter(|(_, second)| **second).map(|(part, _)| part) {
            match &part.place {
                Place::Rows(_) => has_new_rows[part.file] = true,
                Place::Set(name) => {
                    set.remove(name);
                    if let Some((name, [_, Some(value)])) = self.set.get_key_value(name) {
                        set.insert(name, value);
                    } else {
                        take_parameter(&mut documents, &self.files, name);
                    }
                }
                place => {
                    let after = self.files[part.file].1.rules(1);
                    if let Some((document, after)) = documents[part.file].as_mut().zip(after) {
                        take_part(document, after, place);
                    }
                }
            }
        }
        let text = |(((name, file), document), new): ((&(String, BlendFile), Option<DocumentMut>), bool)| {
            let text = match file {
                BlendFile::Rows(rows) => rows[usize::from(new)].clone(),
                BlendFile::Rules(_) => document.map(|document| document.to_string()).unwrap_or_default(),
            };
            (name.clone(), text)
        };
        let texts = self.files.iter().zip(documents).zip(has_new_rows).map(text).collect();
        let set = set.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        BlendedTexts { texts, set }
    }
}

fn in_words(place: &Place) -> String {
    match place {
        Place::Rows(name) | Place::Section(name) => name.clone(),
        Place::Key(section, key) => format!("{section}.{key}"),
        Place::Member(section, None, known) => format!("{section} {known}"),
        Place::Member(section, Some(key), known) => format!("{section}.{key} {known}"),
        Place::Set(name) => format!("parameters.{name}"),
    }
}

/// Adds definitions that only one document has to the other.
fn define_in_both(documents: &mut [DocumentMut; 2]) {
    for side in [0, 1] {
        let other = documents[1 - side].clone();
        for (section, item) in other.iter().filter(|(section, _)| !DECIDING.contains(section)) {
            let Some(entries) = item.as_table() else { continue };
            let own = documents[side].entry(section).or_insert_with(|| Item::Table(Table::new()));
            let Some(own) = own.as_table_mut() else { continue };
            for (key, value) in entries.iter() {
                if !own.contains_key(key) {
                    own.insert(key, value.clone());
                }
            }
        }
    }
}

fn differing_places(documents: &[DocumentMut; 2]) -> Vec<Place> {
    let [before, after] = documents;
    let sections = keys_of_both(before.as_table(), after.as_table());
    let mut places = Vec::new();
    for section in sections {
        let [old, new] = [before.get(&section), after.get(&section)];
        if is_same(old, new) {
            continue;
        }
        match section.as_str() {
            "require" | "offer" if has_tables(old) && has_tables(new) => {
                places.extend(differing_members(old, new, &section, None));
            }
            _ => match (old.and_then(Item::as_table), new.and_then(Item::as_table)) {
                (Some(old), Some(new)) => {
                    for key in keys_of_both(old, new) {
                        let is_silent = section == "policy" && OF_THE_FILE.contains(&key.as_str());
                        if is_silent || is_same(old.get(&key), new.get(&key)) {
                            continue;
                        }
                        match (section.as_str(), key.as_str()) {
                            ("score", "item") if [old, new].iter().all(|of| has_tables(of.get(&key))) => {
                                places.extend(differing_members(old.get(&key), new.get(&key), "score", Some("item")));
                            }
                            _ => places.push(Place::Key(section.clone(), key)),
                        }
                    }
                }
                _ => places.push(Place::Section(section)),
            },
        }
    }
    places
}

/// Whether an item is an array of tables, or is not there.
fn has_tables(item: Option<&Item>) -> bool {
    item.is_none_or(Item::is_array_of_tables)
}

/// The keys of both tables, in the order of the second, then what only the first has.
fn keys_of_both(before: &Table, after: &Table) -> Vec<String> {
    let gone = before.iter().map(|(key, _)| key).filter(|key| !after.contains_key(key));
    after.iter().map(|(key, _)| key).chain(gone).map(str::to_owned).collect()
}

fn differing_members(old: Option<&Item>, new: Option<&Item>, section: &str, key: Option<&'static str>) -> Vec<Place> {
    let [old, new] = both_named_members(old, new);
    let gone = old.iter().filter(|(known, _)| !new.iter().any(|(other, _)| other == known));
    let names = new.iter().chain(gone).map(|(known, _)| known);
    let find = |members: &[(String, Table)], known: &String| {
        members.iter().find(|(name, _)| name == known).map(|(_, table)| Item::Table(table.clone()))
    };
    let differs = |known: &&String| !is_same(find(&old, known).as_ref(), find(&new, known).as_ref());
    names.filter(differs).map(|known| Place::Member(section.to_owned(), key, known.clone())).collect()
}

/// The tables of two arrays, by their `id`, or by what they are `on`; where an array has a name twice, by the `code`
/// too, or else numbered.
fn both_named_members(old: Option<&Item>, new: Option<&Item>) -> [Vec<(String, Table)>; 2] {
    let text = |table: &Table, key: &str| table.get(key)?.as_str().map(str::to_owned);
    let base = |table: &Table| text(table, "id").or_else(|| text(table, "on")).unwrap_or_default();
    let tables = |item: Option<&Item>| -> Vec<Table> {
        item.and_then(Item::as_array_of_tables).map_or_else(Vec::new, |array| array.iter().cloned().collect())
    };
    let both = [old, new].map(tables);
    let is_twice = |name: &str| both.iter().any(|tables| tables.iter().filter(|table| base(table) == name).count() > 1);
    let name = |table: &Table| {
        let base = base(table);
        match text(table, "code").filter(|_| is_twice(&base)) {
            Some(code) => format!("{base} {code}"),
            None => base,
        }
    };
    let named = |tables: &Vec<Table>| {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let numbered = |table: &Table| {
            let name = name(table);
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            (if *count == 1 { name } else { format!("{name} ({count})") }, table.clone())
        };
        tables.iter().map(numbered).collect()
    };
    [named(&both[0]), named(&both[1])]
}

/// Whether two items say the same, whatever their layout.
fn is_same(one: Option<&Item>, other: Option<&Item>) -> bool {
    let value = |item: Option<&Item>| {
        let mut document = DocumentMut::new();
        if let Some(item) = item {
            document.insert("it", item.clone());
        }
        toml::from_str::<toml::Table>(&document.to_string()).ok()
    };
    value(one) == value(other)
}

/// Puts a part of another document into this one.
fn take_part(document: &mut DocumentMut, from: &DocumentMut, place: &Place) {
    match place {
        Place::Section(section) => put_item(document.as_table_mut(), section, from.get(section)),
        Place::Key(section, key) => {
            let new = from.get(section).and_then(Item::as_table).and_then(|table| table.get(key));
            if let Some(own) = document.get_mut(section).and_then(Item::as_table_mut) {
                put_item(own, key, new);
            }
        }
        Place::Member(section, key, known) => {
            let find = |document: &DocumentMut| -> Option<Item> {
                let item = document.get(section)?;
                key.map_or(Some(item), |key| item.as_table()?.get(key)).cloned()
            };
            let blended = blend_members(find(document).as_ref(), find(from).as_ref(), known);
            let own = match key {
                None => Some(document.as_table_mut()),
                Some(_) => document.get_mut(section).and_then(Item::as_table_mut),
            };
            if let Some(own) = own {
                put_item(own, key.unwrap_or(section), Some(&Item::ArrayOfTables(blended)));
            }
        }
        Place::Rows(_) | Place::Set(_) => {}
    }
}

/// The tables of an array with one of them as another array has it: changed, gone, or added at the end.
fn blend_members(own: Option<&Item>, other: Option<&Item>, known: &String) -> ArrayOfTables {
    let [own, other] = both_named_members(own, other);
    let new = other.into_iter().find(|(name, _)| name == known).map(|(_, table)| table);
    let is_there = own.iter().any(|(name, _)| name == known);
    let mut blended = ArrayOfTables::new();
    for (name, table) in own {
        match (name == *known, &new) {
            (false, _) => blended.push(table),
            (true, Some(new)) => blended.push(new.clone()),
            (true, None) => {}
        }
    }
    if let (false, Some(new)) = (is_there, new) {
        blended.push(new);
    }
    // Places of tables in a text belong to the text that they are from.
    blended.iter_mut().for_each(|table| table.set_position(None));
    blended
}

fn put_item(table: &mut Table, key: &str, item: Option<&Item>) {
    match item {
        Some(item) => {
            table.insert(key, item.clone());
        }
        None => {
            table.remove(key);
        }
    }
}

/// Takes the second policy's own value of a parameter that is set for a run of the first alone.
fn take_parameter(documents: &mut [Option<DocumentMut>], files: &[(String, BlendFile)], name: &str) {
    let place = Place::Key("parameters".to_owned(), name.to_owned());
    for (document, (_, file)) in documents.iter_mut().zip(files) {
        if let Some((document, after)) = document.as_mut().zip(file.rules(1))
            && value_of_parameter(after, name).is_some()
        {
            take_part(document, after, &place);
        }
    }
}

/// The value of a parameter as written.
fn value_of_parameter(document: &DocumentMut, name: &str) -> Option<String> {
    let declared = document.get("parameters")?.as_table()?.get(name)?;
    let value = declared.get("value").unwrap_or(declared);
    Some(value.to_string().trim().trim_matches('"').replace('_', ""))
}

/// For each file of either policy its name and both texts; a file that only one has is the same for both.
pub fn pair_texts(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<(String, String, String)> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let pair = |name: &&String| {
        let (old, new) = (before.get(*name), after.get(*name));
        let (old, new) = (old.or(new)?, new.or(old)?);
        Some(((*name).clone(), old.clone(), new.clone()))
    };
    names.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# a comment\n[policy]\nname = \"p\"\nversion = \"1\"\n\
        [parameters]\nx = { value = 1_000 }\ny = 2\n[metric]\na = \"1\"\n\
        [[require]]\nid = \"R1\"\nwhen = \"a\"\n[[require]]\nid = \"R2\"\nwhen = \"b\"\n\
        [score]\nbase = 10\n[[score.item]]\non = \"a\"\npoints = [[\"-\", 1]]\n[table.g]\nrows = [[1]]\n";
    const AFTER: &str = "[policy]\nname = \"p\"\nversion = \"2\"\n[parameters]\nx = { value = 2_000 }\ny=2\n\
        [metric]\na = \"1\"\nnew = \"3\"\n[[require]]\nid = \"R2\"\nwhen = \"c\"\n\
        [[require]]\nid = \"R3\"\nwhen = \"new\"\n\
        [score]\nbase = 10\n[[score.item]]\non = \"a\"\npoints = [[\"-\", 2]]\n[table.g]\nrows = [[1], [2]]\n";

    fn blend(first_set: &SetParameters, second_set: &SetParameters) -> Blend {
        Blend::new(&[("f".to_owned(), BEFORE.to_owned(), AFTER.to_owned())], first_set, second_set).expect("TOML")
    }

    fn names(blend: &Blend) -> Vec<&str> {
        blend.parts().iter().map(|part| part.name.as_str()).collect()
    }

    #[test]
    fn parts_that_differ_are_listed_and_layout_is_no_difference() {
        let wanted = ["parameters.x", "require R2", "require R3", "require R1", "score.item a", "table.g"];
        assert_eq!(names(&blend(&[], &[])), wanted);
    }

    #[test]
    fn a_part_alone_is_taken_and_the_rest_stays() {
        let blend = blend(&[], &[]);
        let value = |second: &[bool]| -> toml::Table {
            let BlendedTexts { texts, set } = blend.texts(second);
            assert!(set.is_empty());
            toml::from_str(&texts[0].1).expect("TOML")
        };
        let (before, after): (toml::Table, toml::Table) =
            (toml::from_str(BEFORE).unwrap(), toml::from_str(AFTER).unwrap());
        let none = value(&[false; 6]);
        // A definition that nothing uses is there all the same.
        assert_eq!(none["metric"], after["metric"]);
        assert_eq!((&none["require"], &none["score"]), (&before["require"], &before["score"]));
        let all = value(&[true; 6]);
        for section in ["parameters", "metric", "require", "score", "table"] {
            assert_eq!(all[section], after[section], "{section}");
        }
        let one = value(&[false, true, false, false, false, false]);
        assert_eq!(one["require"].as_array().map(Vec::len), Some(2));
        assert_eq!(one["require"][1], after["require"][0]);
        assert_eq!((&one["parameters"], &one["table"]), (&before["parameters"], &before["table"]));
        let gone = value(&[false, false, false, true, false, false]);
        assert_eq!(gone["require"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn parameters_of_a_run_are_parts_too() {
        let set = |value: &str| vec![("x".to_owned(), value.to_owned())];
        // What both runs set to the same does not differ, whatever the files say.
        assert!(!names(&blend(&set("5"), &set("5"))).contains(&"parameters.x"));
        let one = blend(&[], &set("5"));
        assert_eq!(names(&one).last(), Some(&"parameters.x"));
        let last = |of: &Blend, second: bool| {
            let chosen: Vec<bool> = (0..of.parts().len()).map(|at| second && at + 1 == of.parts().len()).collect();
            of.texts(&chosen)
        };
        assert_eq!(last(&one, true).set, set("5"));
        assert!(last(&one, false).set.is_empty());
        let before = blend(&set("5"), &[]);
        assert_eq!(last(&before, false).set, set("5"));
        let BlendedTexts { texts, set } = last(&before, true);
        assert!(set.is_empty() && texts[0].1.contains("value = 2_000"));
    }
}
