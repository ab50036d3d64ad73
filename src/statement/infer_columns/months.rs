//! Names of months beside the English ones, by language.

/// English names; a pattern knows them, so they need not be declared.
const ENGLISH: [&str; 2] = [
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "january february march april may june july august september october november december",
];

/// First letters of months in other languages, with the language.
const SHORT: [(&str, &str); 9] = [
    ("Spanish", "ene feb mar abr may jun jul ago sep oct nov dic"),
    ("Portuguese", "jan fev mar abr mai jun jul ago set out nov dez"),
    ("German", "jan feb mär apr mai jun jul aug sep okt nov dez"),
    ("French", "janv févr mars avr mai juin juil août sept oct nov déc"),
    ("Dutch", "jan feb mrt apr mei jun jul aug sep okt nov dec"),
    ("Italian", "gen feb mar apr mag giu lug ago set ott nov dic"),
    ("Polish", "sty lut mar kwi maj cze lip sie wrz paź lis gru"),
    ("Swedish", "jan feb mar apr maj jun jul aug sep okt nov dec"),
    ("Czech", "led úno bře dub kvě čvn čvc srp zář říj lis pro"),
];

/// Whole names in other languages.
const LONG: [(&str, &str); 7] = [
    ("Spanish", "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    ("Portuguese", "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
    ("German", "januar februar märz april mai juni juli august september oktober november dezember"),
    ("French", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    ("Dutch", "januari februari maart april mei juni juli augustus september oktober november december"),
    ("Italian", "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    ("Polish", "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
];

/// Names that read every one of some words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MonthNames {
    /// The language, unless it is English.
    pub(crate) language: Option<&'static str>,
    /// Twelve in lower case, separated by blanks.
    names: &'static str,
    /// Whether the names are whole words, not their first letters.
    pub(crate) long: bool,
}

impl MonthNames {
    /// The names, from January on.
    pub(crate) fn each(&self) -> impl Iterator<Item = &'static str> {
        self.names.split(' ')
    }

    /// The month of a word, from 1.
    pub(crate) fn month(&self, word: &str) -> Option<u32> {
        let word = word.to_lowercase();
        (1_u32..).zip(self.each()).find(|(_, name)| *name == word).map(|(month, _)| month)
    }
}

/// The names that read all of these words: English if possible.
pub(crate) fn names_of<'w>(words: impl Iterator<Item = &'w str> + Clone) -> Option<MonthNames> {
    let english = ENGLISH.iter().zip([false, true]).map(|(names, long)| MonthNames { language: None, names, long });
    let short = SHORT.iter().map(|(language, names)| MonthNames { language: Some(language), names, long: false });
    let long = LONG.iter().map(|(language, names)| MonthNames { language: Some(language), names, long: true });
    english.chain(short).chain(long).find(|names| words.clone().all(|word| names.month(word).is_some()))
}

/// Whether a word may name a month.
pub(crate) fn is_month(word: &str) -> bool {
    names_of(std::iter::once(word)).is_some()
}
