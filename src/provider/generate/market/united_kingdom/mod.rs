//! The United Kingdom.

mod forms;
mod names;

use super::{AmountScale, Bank, Clock, Facts, Firms, Names, Remarks, Seller};

pub(super) static FACTS: Facts = Facts {
    clock: Clock::of_zone("Europe/London"),
    scale: AmountScale { kobo: 150, spending_step: 100 },
    holidays: &[(1, 1), (12, 25), (12, 26)],
    first_bank_id: 0x1a30_0000,
    account_digits: 8,
    transfer_code: "FPS",
    names: Names {
        given: names::GIVEN,
        family: names::FAMILY,
        given_first: true,
        trap_given: &["GIFT", "BETTY", "ZOPA", "PENNY", "CREDO", "BILL", "RENEE", "GRANT"],
        trap_family: &["LOANE", "BETTS", "RENTON", "WAGER", "FEESON", "PAYNE", "PROVIDENT", "CASH"],
    },
    firms: FIRMS,
    banks: BANKS,
    cities: &[
        "LEEDS",
        "LONDON",
        "BRISTOL",
        "MANCHESTER",
        "BIRMINGHAM",
        "GLASGOW",
        "CARDIFF",
        "BELFAST",
        "YORK",
        "HULL",
    ],
    card_ends: &["LEEDS", "LONDON", "BRISTOL", "MANCHESTER", "GLASGOW", "CARDIFF", "YORK"],
    remarks: Remarks {
        gift: &["DINNER", "HAPPY BIRTHDAY", "TICKETS", "FROM MUM", "PIZZA", "HOLIDAY", "THANKS", "BILLS", "LOVE DAD"],
        business: &["INVOICE", "INV 204", "ORDER", "DEPOSIT", "BALANCE DUE", "CLEANING", "GARDEN WORK", "LESSONS"],
        refund: &["REFUND", "REFUND FOR ORDER", "MONEY BACK", "PART REFUND", "RETURNED ITEM"],
        own_transfer: &["SELF", "SAVINGS", "TRANSFER", "BILLS ACCOUNT", "TOP UP", "MONTHLY"],
        transfer_out: &["DINNER", "PAYMENT", "BILLS", "TICKETS", "FOOTBALL SUBS", "CLEANER", "DRINKS", "THANKS"],
        rent: &["RENT", "FLAT RENT", "ROOM RENT", "RENT AND BILLS"],
        school_fees: &["NURSERY", "SCHOOL FEES", "TERM FEES", "TUITION"],
        gig: &["WEEKLY EARNINGS", "PAYOUT", "COURIER EARNINGS", "SETTLEMENT", "INVOICE PAYMENT"],
        bets: &["PADDY POWER", "SKYBET", "BET365", "LADBROKES"],
        ..Remarks::PLAIN
    },
    forms: forms::FORMS,
};

const FIRMS: Firms = Firms {
    employers: names::EMPLOYERS,
    offices: &[
        "WEXHOLM COUNCIL",
        "NHS MOORVALE TRUST",
        "MARSHWOLD DISTRICT COUNCIL",
        "DEPT FOR WOODLANDS",
        "NORTHERN FENS POLICE",
    ],
    pension_payers: &["DWP STATE PENSION", "OLDOAK LIFE ANNUITY", "EVENTIDE PENSION SCHEME"],
    platforms: &["PEDALDASH LTD", "CABBERLY UK LTD", "TASKWEAVERS", "PARCELHOP COURIERS", "QUILLMARKET DIGITAL"],
    platform_banks: ["BARCLAYS", "NATWEST"],
    shops: names::SHOPS,
    suppliers: &[
        "BULKBARN TRADING LTD",
        "CRESTQUAY IMPORTS LTD",
        "DEPOT ELEVEN SUPPLIES",
        "GRANARY ROW WHOLESALE",
        "WHARFGATE GOODS LTD",
        "TRADEPOST NORTH LTD",
    ],
    schools: &["BRIGHTACRES NURSERY", "HILLSPRINGS SCHOOL", "LITTLE WRENS PRESCHOOL", "STARFIELD COLLEGE"],
    school_bank: "LLOYDS",
    registrars: &[
        "GLENMARRAN DISTILLERS PLC",
        "OTTERVALE PHARMA PLC",
        "HEATHERFOAM BREWERS PLC",
        "MERIDWOLD INSURE PLC",
    ],
    betting: &["BET365", "PADDY POWER", "SKYBET", "WILLIAM HILL", "LADBROKES", "BETFRED"],
    lenders: &[
        "LENDABLE",
        "118 118 MONEY",
        "LENDING STREAM",
        "MR LENDER",
        "SALAD MONEY",
        "OAKBROOK FINANCE",
        "DRAFTY",
        "MONEYBOAT",
    ],
    small_lenders: &["PENNYBRIDGE LENDING LTD", "SWIFTQUID FINANCE", "POUNDLADDER LTD", "FENLINK CREDIT UNION"],
    lender_banks: &["BARCLAYS", "NATWEST", "LLOYDS", "HSBC"],
    telcos: &["GIFFGAFF", "LEBARA", "VODAFONE", "LYCAMOBILE"],
    terminals: &[("", 70), ("SUMUP", 15), ("ZETTLE", 15)],
    paying_agent: "TRUELAYER",
    web_shops: &[
        Seller::new("AMAZON.CO.UK", "AMAZON"),
        Seller::new("ASOS.COM", "ASOS"),
        Seller::new("UBER TRIP", "UBER"),
        Seller::new("NETFLIX.COM", "NETFLIX"),
    ],
    billers: &[
        Seller::new("BRITISH GAS", "BRITISH GAS"),
        Seller::new("OCTOPUS ENERGY", "OCTOPUS ENERGY"),
        Seller::new("THAMES WATER", "THAMES WATER"),
        Seller::new("TV LICENCE MBP", "TV LICENCE"),
        Seller::new("WEXHOLM COUNCIL TAX", "WEXHOLM COUNCIL"),
    ],
};

const BANKS: &[Bank] = &[
    Bank::new("BARCLAYS", "Barclays", "", 16),
    Bank::new("LLOYDS", "Lloyds Bank", "", 16),
    Bank::new("NATWEST", "NatWest", "", 14),
    Bank::new("HSBC", "HSBC", "", 12),
    Bank::new("SANTANDER", "Santander", "", 11),
    Bank::new("MONZO", "Monzo", "", 12),
    Bank::new("HALIFAX", "Halifax", "", 8),
    Bank::new("STARLING", "Starling Bank", "", 6),
    Bank::new("NATIONWIDE", "Nationwide", "", 8),
    Bank::new("TSB", "TSB", "", 4),
    Bank::new("REVOLUT", "Revolut", "", 0),
    Bank::new("CHASE", "Chase UK", "", 0),
];
