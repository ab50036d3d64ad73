//! Nigeria.

mod forms;
mod names;

use super::{AmountScale, Bank, Clock, Facts, Firms, Names, Remarks, Seller};

pub(super) static FACTS: Facts = Facts {
    // Whatever the zone's history: statements of any year keep their bytes.
    clock: Clock::Fixed(3600),
    scale: AmountScale { kobo: 1, spending_step: 5_000 },
    holidays: &[(1, 1), (5, 1), (6, 12), (10, 1), (12, 25), (12, 26), (1, 2)],
    first_bank_id: 0x1a2b_0000,
    account_digits: 10,
    transfer_code: "NIP",
    names: Names {
        given: names::GIVEN,
        family: names::FAMILY,
        given_first: false,
        trap_given: &["GIFT", "BETTY", "WINNER", "PROMISE", "CREDO", "SALARIA", "LOANA", "REVERA"],
        trap_family: &["LOANI", "SALAKO", "BONUS", "BETHEL", "RENTON", "WAGESI", "FEESO", "PAYNE"],
    },
    firms: FIRMS,
    banks: BANKS,
    cities: &["LAGOS", "IBADAN", "IKEJA", "ABUJA", "KANO", "ENUGU", "PORT HARCOURT", "BENIN", "ABEOKUTA", "JOS"],
    card_ends: &["LA LANG-", "LANG-", "OY OYNG-", "Ikeja NG-", "IBADAN NG-", "LAGOS NG-", "FC ABNG-"],
    remarks: REMARKS,
    forms: forms::FORMS,
};

const FIRMS: Firms = Firms {
    employers: names::EMPLOYERS,
    offices: &[
        "FGN MIN OF WORKS AND BRIDGES",
        "OYUN STATE TEACHING BOARD",
        "LGA HEALTH SERVICE",
        "STATE WATER BOARD",
        "FGN SURVEY OFFICE",
    ],
    pension_payers: &["GOLDENAGE PFA", "EVENTIDE PENSION MGRS", "OLDSTEAD PENSIONS LTD"],
    platforms: &["ZIPPARIDE NIG LTD", "KARGOMOTO DELIVERY", "TASKWEAVE INC", "CHOPDASH LOGISTICS", "PENMARKET DIGITAL"],
    platform_banks: ["WEMA", "MONIEPOINT"],
    shops: names::SHOPS,
    suppliers: &[
        "BULKHOUSE TRADING CO",
        "CRESTLINE IMPORTS",
        "DEPOT ELEVEN ENT",
        "GRANARY WHOLESALE",
        "HARBOURGATE GOODS LTD",
        "TRADEPOST VENTURES",
    ],
    schools: &["BRIGHTACRE ACADEMY", "HILLSPRING COLLEGE", "LITTLE ACORNS NURSERY", "STARFIELD POLYTECHNIC"],
    school_bank: "FDP",
    registrars: &["CASSAVIA MILLS PLC", "REDKOLA BOTTLERS PLC", "WOLDSTONE CEMENT PLC", "MERIDOR INSURE PLC"],
    betting: &["BET9JA", "SPORTYBET", "BETKING", "1XBET", "NAIRABET", "MSPORT"],
    lenders: &["FAIRMONEY", "CARBON", "RENMONEY", "PALMCREDIT", "BRANCH INTL", "QUICKCHECK", "AELLA CREDIT", "OKASH"],
    small_lenders: &["KOLOBRIDGE MFB", "SWIFTPENCE FINANCE", "NAIRALADDER LTD", "AJOLINK COOP"],
    lender_banks: &["WEMA", "STERLING", "MONIEPOINT", "GTB"],
    telcos: &["MTN", "airtel", "glo", "9Mobile"],
    terminals: &[("", 60), ("ACCELEREX NETWORK", 15), ("PAYCOM NIGERIA LIMITED", 15), ("PAYARENA", 10)],
    paying_agent: "PAYSTACK SETTLEMENT",
    web_shops: &[
        Seller::new("Bolt Lagos NG-", "Bolt"),
        Seller::new("REMITA WEB PAY LAGOS NG-", "REMITA"),
        Seller::new("JUMIA ONLINE LANG-", "JUMIA"),
        Seller::new("NETFLIX.COM AMS NL-", "NETFLIX"),
    ],
    billers: &[
        Seller::new("IKEDC PREPAID", "IKEDC"),
        Seller::new("IBEDC PREPAID", "IBEDC"),
        Seller::new("EKEDC POSTPAID", "EKEDC"),
        Seller::new("LAWMA WASTE BILL", "LAWMA WASTE"),
        Seller::new("STATE WATER BILL", "STATE WATER"),
    ],
};

const BANKS: &[Bank] = &[
    Bank::new("ZENITH", "Zenith Bank", "", 1),
    Bank::new("GTB", "GTBank", "", 1),
    Bank::new("FBN", "First Bank", "FBNMOBILE:{me} /", 1),
    Bank::new("UBA", "UBA", "", 1),
    Bank::new("ABN", "Access Bank", "", 1),
    Bank::new("FCMB", "FCMB", "", 1),
    Bank::new("FDP", "Fidelity Bank", "", 1),
    Bank::new("STANBIC", "Stanbic IBTC", "", 1),
    Bank::new("WEMA", "Wema Bank", "", 1),
    Bank::new("STERLING", "Sterling Bank", "", 1),
    Bank::new("KUDA", "Kuda", "", 0),
    Bank::new("OPAY", "OPay", "", 0),
    Bank::new("PALMPAY", "PalmPay", "", 0),
    Bank::new("MONIEPOINT", "Moniepoint", "", 0),
];

const REMARKS: Remarks = Remarks {
    gift: &[
        "UPKEEP",
        "FOR FOOD",
        "SUPPORT",
        "HAPPY BIRTHDAY",
        "TRANSFER",
        "FEEDING",
        "THANKS",
        "FROM MUM",
        "PROJECT",
        "URGENT 2K",
    ],
    business: &[
        "GOODS",
        "PAYMENT FOR GOODS",
        "ORDER",
        "PART PAYMENT",
        "BALANCE FOR GOODS",
        "TRANSFER",
        "2 CARTONS",
        "POS SETTLEMENT",
        "DEPOSIT",
    ],
    refund: &["REFUND", "REFUNDS", "REFUND FOR ORDER", "MONEY BACK", "REFUND OF TRANSPORT FARE", "PART REFUND"],
    own_transfer: &["SELF", "OWN ACCOUNT", "TRANSFER", "TO MYSELF", "SAVINGS", "TOP UP"],
    transfer_out: &["TRANSFER", "PAYMENT", "PART PAYMENT", "FOOD", "SUPPORT", "CONTRIBUTION", "LOGISTICS", "OK"],
    rent: &["HOUSE RENT", "RENT", "ANNUAL RENT", "RENT BALANCE", "SHOP RENT"],
    supplies: &["STOCK", "GOODS", "INVOICE", "SUPPLY", "RESTOCK"],
    school_fees: &["SCHOOL FEES", "FEES FIRST TERM", "TUITION", "PTA LEVY"],
    gig: &["PAYOUT", "WEEKLY EARNINGS", "TRIPS PAYOUT", "SETTLEMENT", "INVOICE PAYMENT"],
    bets: &["BET9JA", "SPORTYBET", "BETKING MONEY", "1XBET", "NAIRABET"],
    returned_goods: &[
        "REVERSAL OF ORDER",
        "RVSL GOODS",
        "REVERSAL 2 CARTONS",
        "REFUND LESS GOODS",
        "BET9JA SHOP GOODS",
    ],
};
