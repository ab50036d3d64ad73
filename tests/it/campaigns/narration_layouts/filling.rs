//! Fills layouts of narrations with invented names, references and remarks. Knows who is the counterparty, and nothing
//! of how keys are made.

use std::collections::HashMap;
use std::path::Path;

/// A row of the table of layouts.
pub struct Layout {
    pub market: String,
    pub institution: String,
    direction: String,
    pub kind: String,
    pub text: String,
    /// Who the counterparty is: a placeholder, or none.
    counterparty: String,
}

/// What the counterparty's key must be.
pub enum Truth {
    /// These words. A town may follow a shop's.
    Name { words: String, town: String },
    /// Nobody: a bank, a channel or a town may be left, but none of these words.
    Nobody { never: Vec<String>, holder: Option<String> },
}

/// A layout that was filled.
pub struct Filled {
    pub layout: usize,
    /// Its place in the days of the statement.
    pub day: usize,
    pub is_credit: bool,
    pub text: String,
    pub truth: Truth,
}

pub fn read(path: &Path) -> Vec<Layout> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    // A layout of both directions shows one of them.
    let both = |direction: &str, text: &str| match direction {
        "either" => text.replace("FROM {HOLDER} TO {NAME}", "FROM {NAME} TO {NAME}"),
        _ => text.to_owned(),
    };
    let row = |row: csv::StringRecord| Layout {
        market: row[0].into(),
        institution: row[1].into(),
        direction: row[3].into(),
        kind: row[4].into(),
        text: both(&row[3], row[5].trim_start_matches('\'')),
        counterparty: row[6].into(),
    };
    reader.records().map(|read| row(read.unwrap())).collect()
}

/// Numbers that look drawn, the same each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }

    fn letters(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'A' + self.below(26) as u8)).collect()
    }

    fn person(&mut self) -> String {
        match self.below(3) {
            0 => format!("{} {} {}", self.of(SURNAMES), self.of(GIVEN), self.of(GIVEN)),
            1 => format!("{} {}", self.of(SURNAMES), self.of(GIVEN)),
            _ => format!("{} {}", self.of(GIVEN), self.of(SURNAMES)),
        }
    }

    fn firm(&mut self) -> String {
        format!("{} {}", self.of(FIRMS), self.of(TRADES))
    }

    fn reference(&mut self) -> String {
        match self.below(4) {
            0 => format!("{}{}{}{}", self.letters(2), self.digits(4), self.letters(1), self.digits(4)),
            1 => self.digits(30),
            _ => {
                let count = 6 + self.below(7);
                self.digits(count)
            }
        }
    }
}

const GIVEN: &[&str] = &[
    "AMARA", "BISI", "CHIDERA", "DAMILOLA", "EBUKA", "FOLAKE", "GODWIN", "HAUWA", "IFEOMA", "JIDE", "KEHINDE", "LOLA",
    "MUSTAPHA", "NKECHI", "OBINNA", "PATIENCE", "RASAQ", "SIMBI", "TAIWO", "UCHENNA", "VICTORIA", "WASIU", "YETUNDE",
    "ZAINAB", "ESTHER", "SAMUEL", "GRACE", "IBRAHIM", "PETER", "MIRIAM",
];

const SURNAMES: &[&str] = &[
    "ADEWALEY",
    "BRASSFIELD",
    "CHUKWURA",
    "DANLADIN",
    "EZEMBA",
    "FARINGDON",
    "GBADEBOYE",
    "HAMMANJO",
    "IKPEBAR",
    "JEGEDELO",
    "KALANGO",
    "LAWALSON",
    "MADUEKWU",
    "NWABUZOR",
    "OGUNMOLU",
    "PAMTOK",
    "QUAYSIDE",
    "RUFAIDU",
    "SHONEYIN",
    "TERKULA",
    "UDOKAMMA",
    "WOKOMAH",
    "YARADUWA",
    "ZUBEROKO",
];

const FIRMS: &[&str] = &[
    "BRIARGATE",
    "COPPERTON",
    "DUNEVALE",
    "ELMSTOW",
    "FENWICKE",
    "GORSEFIELD",
    "HAZELDENE",
    "IVORYBANKS",
    "JUNIPERA",
    "KESTRELLE",
    "LARCHWAY",
    "MOORCROFT",
    "NETTLEBY",
    "OSPREYLINE",
    "PINEHAVEN",
    "QUARRYTON",
    "ROWANHILL",
    "SEDGEMERE",
];

const TRADES: &[&str] = &["STORES", "FOODS", "TEXTILES", "FARMS", "MOTORS", "BAKERY", "PHARMACY", "MILLS", "VENTURES"];

const LENDERS: &[&str] = &["FERNLEND", "OAKADVANCE", "TIDELOANER", "MAPLECRED", "BROOKLEND FINANCE", "ZENDRA LENDING"];

const REMARKS: &[&str] = &[
    "rent",
    "food",
    "Tiles",
    "kitchen",
    "school shoes",
    "gift",
    "diesel",
    "house warming",
    "Feeding",
    "roof nails",
    "pay",
    "Ticket",
    "part 2",
    "for the shoes",
    "upkeep",
    "balance",
    "transport",
    "cement",
    "Thanks",
    "lunch",
    "church",
    "Shoe balance",
    "birthday",
    "ok",
    "drugs",
    "Transfer",
    "fuel",
    "11th - 20th",
];

const MONTHS: &[&str] = &["JAN", "FEBRUARY", "MAR", "April", "MAY", "JUNE", "Jul", "AUG", "SEPT", "OCTOBER"];

/// Names of banks, telcos, bookmakers, utilities and towns as a market writes them.
struct Market {
    name: &'static str,
    /// Lenders that do business there.
    lenders: &'static [&'static str],
    banks: &'static [&'static str],
    telcos: &'static [&'static str],
    betting: &'static [&'static str],
    billers: &'static [&'static str],
    forwarders: &'static [&'static str],
    towns: &'static [&'static str],
}

const MARKETS: &[Market] = &[
    Market {
        name: "Nigeria",
        lenders: &["FAIRMONEY", "RENMONEY", "PALMCREDIT", "CREDIT DIRECT"],
        banks: &["GTB", "FBN", "UBA", "ZENITH", "OPAY", "Kuda", "Moniepoint", "FCMB", "WEMA", "PALMPAY", "PCM", "ABN"],
        telcos: &["MTN", "airtel", "Glo", "9MOBILE"],
        betting: &["BET9JA", "SPORTYBET", "BETKING", "NAIRABET"],
        billers: &["IKEDC", "DSTV", "EKEDC", "AEDC", "GOTV"],
        forwarders: &["Paystack", "Flutterwave", "PSTK", "FLW"],
        towns: &["IKEJA", "LAGOS", "ABUJA", "IBADAN", "YABA LAGOS"],
    },
    Market {
        name: "Kenya",
        lenders: &["ZENKA DIGITAL", "PLATINUM CREDIT", "WATU CREDIT", "LETSHEGO KENYA"],
        banks: &["EQUITY BANK", "KCB", "NCBA BANK", "ABSA BANK"],
        telcos: &["SAFARICOM", "AIRTEL"],
        betting: &["SPORTPESA", "BETIKA", "ODIBETS"],
        billers: &["KPLC PREPAID", "NAIROBI WATER", "ZUKU"],
        forwarders: &["PESAPAL", "CELLULANT"],
        towns: &["NAIROBI", "KISUMU", "NAKURU"],
    },
    Market {
        name: "Ghana",
        lenders: &["QWIKLOAN", "XPRESSLOAN", "BAYPORT SAVINGS", "LETSHEGO GHANA"],
        banks: &["ECOBANK", "GCB BANK", "FIDELITY BANK"],
        telcos: &["VODAFONE", "AIRTELTIGO"],
        betting: &["BETWAY", "SOCCABET"],
        billers: &["ECG", "GHANA WATER"],
        forwarders: &["hubtel", "expresspay"],
        towns: &["ACCRA", "KUMASI", "TAMALE"],
    },
    Market {
        name: "South Africa",
        lenders: &["CAPFIN", "WONGA FINANCE", "FINCHOICE", "DIRECT AXIS"],
        banks: &["ABSA BANK", "CAPITEC", "NEDBANK", "FNB"],
        telcos: &["VODACOM", "TELKOM"],
        betting: &["HOLLYWOODBETS", "BETWAY"],
        billers: &["CITY POWER", "ESKOM"],
        forwarders: &["YOCO", "PAYFAST"],
        towns: &["DURBAN", "PRETORIA", "Cape Town"],
    },
    Market {
        name: "India",
        lenders: &["BAJAJ FINANCE", "KRAZYBEE SERVICES", "HERO FINCORP", "MUTHOOT FINANCE"],
        banks: &["HDFC", "SBIN", "ICICI BANK", "AXIS BANK", "UTIB"],
        telcos: &["JIO", "AIRTEL"],
        betting: &["DREAM11", "RUMMYCIRCLE"],
        billers: &["TATA POWER", "BESCOM"],
        forwarders: &["RAZORPAY", "PAYU"],
        towns: &["PUNE", "MUMBAI", "CHENNAI"],
    },
    Market {
        name: "United Kingdom",
        lenders: &["LENDABLE", "LENDING STREAM", "MONEYBOAT", "ZOPA LOAN"],
        banks: &["BARCLAYS", "LLOYDS", "HSBC"],
        telcos: &["VODAFONE", "GIFFGAFF"],
        betting: &["BET365", "PADDYPOWER"],
        billers: &["THAMES WATER", "OCTOPUS ENERGY"],
        forwarders: &["STRIPE", "SUMUP"],
        towns: &["LEEDS", "LONDON", "BRISTOL"],
    },
    Market {
        name: "United States",
        lenders: &["ONEMAIN", "UPSTART", "MONEYLION", "OPORTUN"],
        banks: &["CHASE", "WELLS FARGO", "CITIBANK"],
        telcos: &["VERIZON", "TMOBILE"],
        betting: &["DRAFTKINGS", "FANDUEL"],
        billers: &["DUKE ENERGY", "COMCAST"],
        forwarders: &["SQ", "TST", "PAYPAL"],
        towns: &["AUSTIN TX", "DENVER CO", "MIAMI FL"],
    },
];

/// The name of a placeholder in capitals and where it ends, if `text` begins with one.
fn placeholder(text: &str) -> Option<(&str, usize)> {
    let name = text.strip_prefix('{')?.split_once('}')?.0;
    name.bytes().all(|byte| byte.is_ascii_uppercase()).then_some((name, name.len() + 2))
}

/// What lenders and remarks a statement has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// Lenders that no list has, and remarks of any kind: only the order of words leads to the name.
    Unknown,
    /// Lenders of the market, remarks that say the kind of a salary, an instalment, a fee or a saving, and one employer
    /// per layout of pay.
    Speaking,
}

/// The people and firms of one statement: some come back.
pub struct Statement {
    draw: Draw,
    filling: Filling,
    holder: String,
    people: Vec<String>,
    /// By layout of pay.
    employers: HashMap<usize, String>,
}

impl Statement {
    pub fn new(seed: u64, filling: Filling) -> Self {
        let mut draw = Draw(seed.wrapping_mul(0xd134_2543_de82_ef95));
        let holder = format!("{} {}", draw.of(&["TOBECHI", "OYINKAN", "SADIQA"]), draw.of(&["VELLUMORE", "HEATHCOTY"]));
        let people = (0..24).map(|at| if at % 4 == 3 { draw.firm() } else { draw.person() }).collect();
        Self { draw, filling, holder, people, employers: HashMap::new() }
    }

    /// A layout filled once, on a day of the statement.
    pub fn fill(&mut self, at: usize, layout: &Layout, day: usize) -> Filled {
        let is_credit = match layout.direction.as_str() {
            "in" => true,
            "out" => false,
            _ => self.draw.below(2) == 0,
        };
        let market = MARKETS.iter().find(|market| market.name == layout.market).unwrap();
        let wanted = placeholder(&layout.counterparty).map(|(name, _)| name);
        let name = self.people[self.draw.below(self.people.len())].clone();
        let (mut text, mut truth, mut town, mut never) = (String::new(), String::new(), String::new(), Vec::new());
        let mut filled: Vec<(&str, String)> = Vec::new();
        let mut rest = layout.text.as_str();
        while let Some(next) = rest.chars().next() {
            let Some((of, length)) = placeholder(rest) else {
                text.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            };
            let known = filled.iter().find(|(name, _)| *name == of && !matches!(of, "REF" | "AMOUNT" | "NAME"));
            let value = match (of, known) {
                (_, Some((_, value))) => value.clone(),
                // In `FROM {NAME} TO {NAME}` one is the holder.
                ("NAME", _) if is_holder(&layout.text, &text, rest, is_credit) => self.holder.clone(),
                // Between own accounts stands the holder's name, if any.
                ("NAME", _) if self.filling == Filling::Speaking && layout.kind == "own" => self.holder.clone(),
                ("NAME", _) => name.clone(),
                ("HOLDER", _) => self.holder.clone(),
                _ if self.filling == Filling::Speaking => self.speaking(of, at, layout, market),
                _ if of == "REMARK" && wanted == Some("REMARK") => self.draw.of(LENDERS).to_owned(),
                _ => self.value(of, market),
            };
            if Some(of) == wanted && value != self.holder {
                truth = value.clone();
            }
            if matches!(of, "NAME" | "HOLDER" | "REMARK") {
                never.extend(words(&value).split(' ').map(str::to_owned));
            }
            if of == "PLACE" {
                town = words(&value);
            }
            text += &value;
            filled.push((of, value));
            rest = &rest[length..];
        }
        let truth = match wanted {
            Some(_) => Truth::Name { words: words(&truth), town },
            None => Truth::Nobody { never, holder: (layout.kind == "own").then(|| words(&self.holder)) },
        };
        Filled { layout: at, day, is_credit, text, truth }
    }

    fn speaking(&mut self, of: &str, at: usize, layout: &Layout, market: &Market) -> String {
        match (of, layout.kind.as_str()) {
            ("LENDER", _) => self.draw.of(market.lenders).into(),
            ("REMARK", _) if layout.counterparty.starts_with("{REMARK}") => self.draw.of(market.lenders).into(),
            ("EMPLOYER", "salary") => self.employers.entry(at).or_insert_with(|| self.draw.firm()).clone(),
            ("REMARK", "salary") => self.draw.of(&["SALARY", "PAYROLL"]).into(),
            ("REMARK", "repayment") => "LOAN REPAYMENT".into(),
            ("REMARK", "loan_out") => "CASH ADVANCE".into(),
            ("REMARK", "fee") => "Monthly Account".into(),
            // Beside one's own name, which no rule knows beforehand, a remark may say so; elsewhere it names a pot.
            ("REMARK", "own") if layout.text.contains("{HOLDER}") => self.draw.of(&["SELF", "Savings"]).into(),
            ("REMARK", "own") => "Savings".into(),
            _ => self.value(of, market),
        }
    }

    fn value(&mut self, of: &str, market: &Market) -> String {
        let draw = &mut self.draw;
        match of {
            "MERCHANT" | "EMPLOYER" => draw.firm(),
            "AGENT" => format!("{} CASHPOINT", draw.of(FIRMS)),
            "LENDER" => draw.of(LENDERS).into(),
            "BANK" => draw.of(market.banks).into(),
            "TELCO" => draw.of(market.telcos).into(),
            "BETTING" => draw.of(market.betting).into(),
            "BILLER" => draw.of(market.billers).into(),
            "FORWARDER" => draw.of(market.forwarders).into(),
            "PLACE" => draw.of(market.towns).into(),
            "REMARK" => draw.of(REMARKS).into(),
            "MONTH" => draw.of(MONTHS).into(),
            "YEAR" => "2026".into(),
            "DATE" => format!("{:02}/{:02}/2026", 1 + draw.below(28), 1 + draw.below(12)),
            "TIME" => "10:15:00".into(),
            "AMOUNT" => format!("{}.00", 10 + draw.below(900)),
            "N" => (1 + draw.below(40)).to_string(),
            "PHONE" => format!("0803{}", draw.digits(7)),
            // Of M-PESA, the number of a till or a pay bill; behind a narration of Barclays, the kind.
            "CODE" if market.name == "Kenya" => draw.digits(6),
            "CODE" if market.name == "United Kingdom" => draw.of(&["FT", "BBP", "BGC", "DDR", "STO"]).into(),
            "CODE" => draw.of(&["KXPL", "TRQW", "BNDX"]).into(),
            "APP" => draw.of(&["RAVEN", "OPay", "web"]).into(),
            "PLAN" => "2GB 2 Days".into(),
            "TERMINAL" => format!("2033{}{}", draw.letters(2), draw.digits(2)),
            "COUNTRY" => "US".into(),
            "UPI" => "kfr.b@okbnk".into(),
            "IFSC" => format!("{}0{}", draw.of(&["SBIN", "UTIB", "HDFC", "ICIC", "PUNB"]), draw.digits(6)),
            "CARD" => draw.digits(4),
            "ACCT" => draw.digits(10),
            "REF" => draw.reference(),
            "CHQ" | "METER" => draw.digits(8),
            other => panic!("unknown placeholder {other}"),
        }
    }
}

/// Whether the name that comes next in a layout is the account's holder: of `FROM {NAME} TO {NAME}` the one on the
/// holder's side.
fn is_holder(layout: &str, before: &str, rest: &str, is_credit: bool) -> bool {
    let is_pair = layout.contains("FROM {NAME} TO {NAME}") || layout.contains("FRM {NAME} TO {NAME}");
    let is_payer = rest.starts_with("{NAME} TO {NAME}");
    let is_payee = before.ends_with(" TO ") && !is_payer;
    is_pair && if is_credit { is_payee } else { is_payer }
}

/// The words of a name in lower case, without legal forms and signs.
pub fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let dropped = ["ltd", "limited", "plc", "inc", "nig", "nigeria", "pvt"];
    words.filter(|word| !dropped.contains(word)).collect::<Vec<_>>().join(" ")
}

impl Filled {
    /// Whether a key says what is true.
    pub fn is_right(&self, key: Option<&str>) -> bool {
        let key = words(key.unwrap_or_default());
        match &self.truth {
            Truth::Name { words, town } => {
                let rest = key.strip_prefix(words.as_str());
                rest.is_some_and(|rest| rest.split_whitespace().all(|word| town.split(' ').any(|town| town == word)))
            }
            Truth::Nobody { never, holder } => {
                holder.as_deref() == Some(&key)
                    || !key.split(' ').any(|word| !word.is_empty() && never.iter().any(|never| never == word))
            }
        }
    }
}
