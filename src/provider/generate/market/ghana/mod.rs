//! Ghana: mobile money and the banks.

mod forms;
mod names;

use super::{AmountScale, Bank, Clock, Facts, Firms, Names, Remarks, Seller};

pub(super) static FACTS: Facts = Facts {
    clock: Clock::of_zone("Africa/Accra"),
    scale: AmountScale { kobo: 50, spending_step: 100 },
    holidays: &[(1, 1), (1, 7), (3, 6), (5, 1), (7, 1), (9, 21), (12, 25), (12, 26)],
    first_bank_id: 0x1a2d_0000,
    account_digits: 13,
    transfer_code: "GIP",
    names: Names {
        given: names::GIVEN,
        family: names::FAMILY,
        given_first: false,
        trap_given: &["GIFT", "BETTY", "PROMISE", "FIDO", "BONUS", "CREDO", "SALARIA", "REVERA"],
        trap_family: &["LOANI", "SALAKO", "BETHEL", "RENTON", "SUSUH", "FEESO", "PAYNE", "IZWE"],
    },
    firms: FIRMS,
    banks: BANKS,
    cities: &["ACCRA", "KUMASI", "TAMALE", "TAKORADI", "TEMA", "CAPE COAST", "SUNYANI", "KOFORIDUA", "HO", "MADINA"],
    card_ends: &["ACCRA GH", "KUMASI GH", "TEMA GH", "OSU GH", "SPINTEX GH", "TAKORADI GH"],
    remarks: Remarks {
        gift: &["UPKEEP", "CHOP MONEY", "FOR FOOD", "SUPPORT", "HAPPY BIRTHDAY", "FUNERAL DONATION", "THANKS", "1"],
        transfer_out: &["TRANSFER", "PAYMENT", "FOOD", "SUPPORT", "SUSU", "CONTRIBUTION", "1", "OK"],
        bets: &["BETWAY", "SOCCABET", "1XBET", "SPORTYBET"],
        ..Remarks::PLAIN
    },
    forms: forms::FORMS,
};

const FIRMS: Firms = Firms {
    employers: names::EMPLOYERS,
    offices: &[
        "CAGD GES MAWUKO DISTRICT",
        "CAGD MIN OF ROADS UNIT 4",
        "ANIDASO MUNICIPAL ASSEMBLY",
        "CAGD HEALTH SERVICE NORTH",
        "KROBEA DISTRICT ASSEMBLY",
    ],
    pension_payers: &["SSNIT", "OLDBAOBAB PENSION TRUST", "EVENTIDE PENSIONS GH"],
    platforms: &["TROSKIRIDE GH LTD", "OKADASH DELIVERY", "KENTEWEAVE DIGITAL", "CHOPRUN COURIERS", "KANEAPAY TASKS"],
    platform_banks: ["ECOBANK", "ABSA"],
    shops: names::SHOPS,
    suppliers: &[
        "BULKYARD TRADING GH",
        "CRESTSHORE IMPORTS",
        "DEPOT NSON ENTERPRISE",
        "GRANARY KROM WHOLESALE",
        "HARBOURTEMA GOODS LTD",
        "TRADEPALM VENTURES",
    ],
    schools: &["BRIGHTADOM ACADEMY", "HILLSPRING SHS", "LITTLE SANKOFA PRESCHOOL", "STARFIELD TECHNICAL UNIV"],
    school_bank: "GCB",
    registrars: &["KAKUMSTONE CEMENT LTD", "NSUOPURE BOTTLERS LTD", "GOLDREEF MINING LTD", "MERIDGOLD INSURANCE LTD"],
    betting: &["BETWAY", "SOCCABET", "SPORTYBET", "1XBET", "BETPAWA", "MSPORT"],
    lenders: &[
        "QWIKLOAN",
        "XPRESSLOAN",
        "AHOMKA LOAN",
        "FIDO LOAN",
        "LETSHEGO",
        "BAYPORT",
        "IZWE LOANS",
        "DALEX FINANCE",
    ],
    small_lenders: &["CEDIBRIDGE MICROFINANCE", "NTEMPENCE FINANCE", "CEDILADDER LTD", "NKABOMLINK CREDIT UNION"],
    lender_banks: &["ECOBANK", "ABSA", "GCB", "CALBANK"],
    telcos: &["MTN", "TELECEL", "AIRTELTIGO"],
    terminals: &[("", 80), ("HUBTEL", 10), ("EXPRESSPAY", 10)],
    paying_agent: "HUBTEL",
    web_shops: &[
        Seller::new("BOLT.EU ACCRA", "BOLT"),
        Seller::new("JUMIA GHANA", "JUMIA"),
        Seller::new("TONATON ONLINE", "TONATON"),
        Seller::new("NETFLIX.COM", "NETFLIX"),
    ],
    billers: &[
        Seller::new("ECG PREPAID", "ECG"),
        Seller::new("ECG POSTPAID", "ECG"),
        Seller::new("GHANA WATER LTD", "GHANA WATER"),
        Seller::new("NEDCO PREPAID", "NEDCO"),
        Seller::new("ZOOMLION WASTE", "ZOOMLION"),
    ],
};

const BANKS: &[Bank] = &[
    Bank::new("MOMO", "MTN Mobile Money", "", 40),
    Bank::new("GCB", "GCB Bank", "", 14),
    Bank::new("ECOBANK", "Ecobank Ghana", "", 12),
    Bank::new("ABSA", "Absa Bank Ghana", "", 8),
    Bank::new("CALBANK", "CalBank", "", 6),
    Bank::new("TELECEL", "Telecel Cash", "", 10),
    Bank::new("ADB", "Agricultural Development Bank", "", 4),
    Bank::new("CBG", "Consolidated Bank Ghana", "", 4),
    Bank::new("PRUDENTIAL", "Prudential Bank", "", 3),
    Bank::new("REPUBLIC", "Republic Bank Ghana", "", 3),
    Bank::new("SOCGEN", "Societe Generale Ghana", "", 0),
    Bank::new("NIB", "National Investment Bank", "", 0),
];
