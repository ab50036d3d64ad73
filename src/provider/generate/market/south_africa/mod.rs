//! South Africa.

mod forms;
mod names;

use super::{AmountScale, Bank, Clock, Facts, Firms, Names, Remarks, Seller};

pub(super) static FACTS: Facts = Facts {
    clock: Clock::of_zone("Africa/Johannesburg"),
    scale: AmountScale { kobo: 20, spending_step: 500 },
    holidays: &[(1, 1), (3, 21), (4, 27), (5, 1), (6, 16), (8, 9), (9, 24), (12, 16), (12, 25), (12, 26)],
    first_bank_id: 0x1a2e_0000,
    account_digits: 10,
    transfer_code: "EFT",
    names: Names {
        given: names::GIVEN,
        family: names::FAMILY,
        given_first: true,
        trap_given: &["GIFT", "BETTY", "WINNER", "PROMISE", "CARBON", "BONUS", "CREDO", "LENING"],
        trap_family: &["LOANI", "BETHEL", "RENTZ", "SALARIS", "FEESO", "PAYNE", "REVERS", "WONGA"],
    },
    firms: FIRMS,
    banks: BANKS,
    cities: &[
        "JOHANNESBURG",
        "CAPE TOWN",
        "DURBAN",
        "PRETORIA",
        "SOWETO",
        "GQEBERHA",
        "BLOEMFONTEIN",
        "POLOKWANE",
        "EAST LONDON",
        "MIDRAND",
    ],
    card_ends: &["JHB", "CAPE TOWN", "DURBAN", "SANDTON", "PRETORIA", "MENLYN"],
    remarks: Remarks {
        gift: &["UPKEEP", "FOR FOOD", "HAPPY BIRTHDAY", "GROCERIES", "LOBOLA", "FROM MA", "PETROL", "DANKIE", "CASH"],
        transfer_out: &["PAYMENT", "STOKVEL", "FOOD", "SUPPORT", "PETROL", "GARDENER", "OK", "RENT SHARE"],
        rent: &["RENT", "HUUR", "FLAT RENT", "RENT BALANCE", "ROOM"],
        school_fees: &["SCHOOL FEES", "SKOOLFONDS", "CRECHE", "TUITION"],
        bets: &["BETWAY", "HOLLYWOODBETS", "LOTTOSTAR", "SUPABETS"],
        ..Remarks::PLAIN
    },
    forms: forms::FORMS,
};

const FIRMS: Firms = Firms {
    employers: names::EMPLOYERS,
    offices: &[
        "DEPT OF FORESTRY EC PERSAL",
        "MARULANI LOCAL MUNICIPALITY",
        "DEPT OF HEALTH LP PERSAL",
        "ROOIVLEI DISTRICT MUNICIPALITY",
        "DEPT OF EDUCATION NC PERSAL",
    ],
    pension_payers: &["SASSA", "GEPF", "OUHOUT PENSIOEN FONDS"],
    platforms: &["VELORIDE SA PTY LTD", "BOETDASH DELIVERY", "TAAKWEAVE INC", "KOTARUN COURIERS", "SKRYFMARK DIGITAL"],
    platform_banks: ["FNB", "NEDBANK"],
    shops: names::SHOPS,
    suppliers: &[
        "BULKPLAAS TRADING",
        "CRESTHAWE IMPORTS",
        "DEPOT ELF CC",
        "GRAANSKUUR WHOLESALE",
        "HAWEGATE GOODS PTY LTD",
        "HANDELSPOS CC",
    ],
    schools: &["BRIGHTVLEI COLLEGE", "HILLSPRING HOERSKOOL", "LITTLE PROTEA CRECHE", "STERVELD TVET COLLEGE"],
    school_bank: "ABSA",
    registrars: &["ROOIBAKEN CEMENT LTD", "STORMSKOP MINING LTD", "DUINESKUIM BREWERS LTD", "MERIDVAAL INSURE LTD"],
    betting: &["BETWAY", "HOLLYWOODBETS", "SUPABETS", "LOTTOSTAR", "SPORTINGBET", "EASYBET"],
    lenders: &[
        "CAPFIN",
        "WONGA FINANCE",
        "BAYPORT",
        "DIRECT AXIS",
        "FINCHOICE",
        "LETSHEGO",
        "AFRICAN BANK LOAN",
        "RCS",
    ],
    small_lenders: &["RANDBRIDGE FIN SERVICES", "VINNIGPENCE LENDING CC", "RANDLADDER PTY LTD", "STOKLINK CO-OP"],
    lender_banks: &["FNB", "NEDBANK", "STANDARD", "ABSA"],
    telcos: &["VODACOM", "MTN", "TELKOM", "CELL C"],
    terminals: &[("", 80), ("YOCO", 12), ("IKHOKHA", 8)],
    paying_agent: "OZOW",
    web_shops: &[
        Seller::new("BOLT.EU JHB", "BOLT"),
        Seller::new("TAKEALOT CAPE TOWN", "TAKEALOT"),
        Seller::new("SUPERBALIST CAPE TOWN", "SUPERBALIST"),
        Seller::new("NETFLIX.COM", "NETFLIX"),
    ],
    billers: &[
        Seller::new("ESKOM PREPAID", "ESKOM"),
        Seller::new("CITY POWER", "CITY POWER"),
        Seller::new("ETHEKWINI RATES", "ETHEKWINI"),
        Seller::new("CITY OF CAPE TOWN", "CITY OF CAPE TOWN"),
        Seller::new("RAND WATER", "RAND WATER"),
    ],
};

const BANKS: &[Bank] = &[
    Bank::new("CAPITEC", "Capitec", "", 26),
    Bank::new("FNB", "FNB", "", 20),
    Bank::new("STANDARD", "Standard Bank", "", 16),
    Bank::new("ABSA", "Absa", "", 15),
    Bank::new("NEDBANK", "Nedbank", "", 10),
    Bank::new("TYMEBANK", "TymeBank", "", 5),
    Bank::new("DISCOVERY", "Discovery Bank", "", 3),
    Bank::new("AFRICANBANK", "African Bank", "", 2),
    Bank::new("INVESTEC", "Investec", "", 2),
    Bank::new("BANKZERO", "Bank Zero", "", 1),
    Bank::new("BIDVEST", "Bidvest Bank", "", 0),
];
