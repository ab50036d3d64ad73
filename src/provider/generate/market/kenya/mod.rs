//! Kenya: M-PESA and the banks.

mod forms;
mod names;

use super::{AmountScale, Bank, Clock, Facts, Firms, Names, Remarks, Seller};

pub(super) static FACTS: Facts = Facts {
    clock: Clock::of_zone("Africa/Nairobi"),
    scale: AmountScale { kobo: 5, spending_step: 1_000 },
    holidays: &[(1, 1), (5, 1), (6, 1), (10, 10), (10, 20), (12, 12), (12, 25), (12, 26)],
    first_bank_id: 0x1a2c_0000,
    account_digits: 13,
    transfer_code: "TRF",
    names: Names {
        given: names::GIVEN,
        family: names::FAMILY,
        given_first: true,
        trap_given: &["GIFT", "BETTY", "PROMISE", "ZENKA", "TALA", "BONUS", "NEEMA", "REFUNDA"],
        trap_family: &["MKOPO", "LOANGA", "SALARO", "BETIKO", "RENTU", "PENSIAH", "KODI", "FULIZA"],
    },
    firms: FIRMS,
    banks: BANKS,
    cities: &["NAIROBI", "MOMBASA", "KISUMU", "NAKURU", "ELDORET", "THIKA", "NYERI", "MERU", "KISII", "MACHAKOS"],
    card_ends: &["NAIROBI KE", "MOMBASA KE", "WESTLANDS KE", "NAKURU KE", "KISUMU KE", "THIKA KE"],
    remarks: Remarks {
        gift: &["UPKEEP", "CHAKULA", "SHEREHE", "ASANTE", "FOR LUNCH", "HARAMBEE", "FROM MUM", "FARE", "PAMOJA"],
        school_fees: &["SCHOOL FEES", "KARO", "FEES TERM 1", "TUITION"],
        rent: &["RENT", "HOUSE RENT", "KODI", "RENT BALANCE", "SHOP RENT"],
        bets: &["BETIKA", "SPORTPESA", "MOZZART BET", "ODIBETS"],
        ..Remarks::PLAIN
    },
    forms: forms::FORMS,
};

const FIRMS: Firms = Firms {
    employers: names::EMPLOYERS,
    offices: &[
        "COUNTY GOVT OF MAZIWANI",
        "STATE DEPT FOR FORESTRY WORKS",
        "MARIDADI WATER WORKS AGENCY",
        "TEACHERS BOARD RIFT EAST",
        "KAWANGU SUBCOUNTY HOSPITAL",
    ],
    pension_payers: &["JIONI PENSION FUND", "OLDBAOBAB RETIREMENT SCHEME", "NSSF"],
    platforms: &["BODADASH KENYA LTD", "SAFIRIDE LTD", "TUMALINK COURIERS", "KAZIWEAVE INC", "ANDIKA DIGITAL LTD"],
    platform_banks: ["EQUITY", "NCBA"],
    shops: names::SHOPS,
    suppliers: &[
        "BULKSHAMBA TRADERS",
        "CRESTPORT IMPORTERS LTD",
        "DEPOT NANE SUPPLIES",
        "GRAINYARD WHOLESALERS",
        "MAGHALA GOODS LTD",
        "SOKOPOST VENTURES",
    ],
    schools: &["BRIGHTMWEZI ACADEMY", "HILLSPRING GIRLS", "LITTLE TWIGA KINDERGARTEN", "STARFIELD POLYTECHNIC"],
    school_bank: "KCB",
    registrars: &["IMARASTONE CEMENT PLC", "UMOJAWELD STEEL PLC", "SAVANNAFOAM BREWERS PLC", "MERIDIANO INSURANCE PLC"],
    betting: &["SPORTPESA", "BETIKA", "ODIBETS", "MOZZART BET", "BETPAWA", "SHABIKI"],
    lenders: &[
        "TALA MOBILE",
        "ZENKA DIGITAL",
        "M-SHWARI",
        "KCB M-PESA",
        "FULIZA",
        "PLATINUM CREDIT",
        "WATU CREDIT",
        "LETSHEGO KENYA",
    ],
    small_lenders: &["PESABRIDGE MFB", "HARAKAPENCE CAPITAL", "SHILLINGLADDER LTD", "JIRANILINK SACCO"],
    lender_banks: &["EQUITY", "NCBA", "KCB", "FAMILY"],
    telcos: &["SAFARICOM", "AIRTEL", "TELKOM KENYA"],
    terminals: &[("", 85), ("PESAPAL", 10), ("DPO PAY", 5)],
    paying_agent: "CELLULANT KENYA",
    web_shops: &[
        Seller::new("BOLT.EU NAIROBI", "BOLT"),
        Seller::new("JUMIA KENYA", "JUMIA"),
        Seller::new("KILIMALL ONLINE", "KILIMALL"),
        Seller::new("NETFLIX.COM", "NETFLIX"),
    ],
    billers: &[
        Seller::new("KPLC PREPAID", "KPLC"),
        Seller::new("KPLC POSTPAID", "KPLC"),
        Seller::new("NAIROBI CITY WATER", "NAIROBI CITY WATER"),
        Seller::new("ZUKU", "ZUKU"),
        Seller::new("SAFARICOM HOME FIBRE", "SAFARICOM HOME"),
    ],
};

const BANKS: &[Bank] = &[
    Bank::new("M-PESA", "M-PESA", "", 40),
    Bank::new("EQUITY", "Equity Bank", "", 16),
    Bank::new("KCB", "KCB Bank", "", 12),
    Bank::new("COOP", "Co-operative Bank", "", 9),
    Bank::new("NCBA", "NCBA Bank", "", 6),
    Bank::new("ABSA", "Absa Bank Kenya", "", 5),
    Bank::new("DTB", "Diamond Trust Bank", "", 4),
    Bank::new("FAMILY", "Family Bank", "", 4),
    Bank::new("SCB", "Standard Chartered Kenya", "", 2),
    Bank::new("IM", "I&M Bank", "", 2),
    Bank::new("SIDIAN", "Sidian Bank", "", 0),
    Bank::new("SBM", "SBM Bank Kenya", "", 0),
];
