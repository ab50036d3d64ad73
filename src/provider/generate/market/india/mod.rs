//! India.

mod forms;
mod names;

use super::{AmountScale, Bank, Clock, Facts, Firms, Names, Remarks, Seller};

pub(super) static FACTS: Facts = Facts {
    clock: Clock::of_zone("Asia/Kolkata"),
    scale: AmountScale { kobo: 10, spending_step: 1_000 },
    holidays: &[(1, 26), (4, 14), (5, 1), (8, 15), (10, 2), (12, 25)],
    first_bank_id: 0x1a2f_0000,
    account_digits: 12,
    transfer_code: "TRF",
    names: Names {
        given: names::GIVEN,
        family: names::FAMILY,
        given_first: true,
        trap_given: &["NAVI", "GIFTY", "PROMISE", "EMILY", "CREDA", "BONUSH", "SALARIKA", "RINGO"],
        trap_family: &["LOANKAR", "EMIWALA", "BETAL", "RENTAWALA", "VETAN", "FEESWAL", "MUTHOOT", "BAJAJ"],
    },
    firms: FIRMS,
    banks: BANKS,
    cities: &["PUNE", "MUMBAI", "CHENNAI", "DELHI", "BENGALURU", "HYDERABAD", "KOLKATA", "JAIPUR", "LUCKNOW", "KOCHI"],
    card_ends: &["PUNE", "MUMBAI", "CHENNAI", "NEW DELHI", "BANGALORE", "HYDERABAD", "NOIDA"],
    remarks: Remarks {
        gift: &["UPI", "FOR FOOD", "SHAGUN", "DIWALI", "GHAR KHARCH", "FROM PAPA", "BIRTHDAY", "THANKS", "FEES"],
        business: &["BILL", "PAYMENT FOR GOODS", "ORDER", "PART PAYMENT", "UPI", "INVOICE", "ADVANCE", "PAYMENT"],
        transfer_out: &["UPI", "PAYMENT", "FOOD", "KIRANA", "SHARE", "MAID", "PETROL", "OK"],
        own_transfer: &["SELF", "SELF TRF", "OWN ACCOUNT", "UPI", "SAVINGS", "TOP UP"],
        rent: &["RENT", "HOUSE RENT", "FLAT RENT", "RENT BALANCE", "SHOP RENT"],
        school_fees: &["SCHOOL FEES", "TERM 1 FEES", "TUITION", "HOSTEL FEES"],
        bets: &["DREAM11", "RUMMYCIRCLE", "MY11CIRCLE", "POKERBAAZI"],
        ..Remarks::PLAIN
    },
    forms: forms::FORMS,
};

const FIRMS: Firms = Firms {
    employers: names::EMPLOYERS,
    offices: &[
        "RAJVAN ZILLA PANCHAYAT",
        "MADHUPUR MUNICIPAL CORPORATION",
        "STATE TREASURY SHANTIGARH",
        "GOVT SECONDARY VIDYALAYA KISHANVAN",
        "JALNIGAM WATER BOARD",
    ],
    pension_payers: &["EPFO PENSION", "OLDBANYAN PENSION FUND", "CPPC PENSION CELL"],
    platforms: &[
        "AUTODASH TECHNOLOGIES PVT LTD",
        "KHANARUN DELIVERY",
        "GHARSEWA PARTNERS",
        "KAAMWEAVE INC",
        "LIKHMARKET DIGITAL",
    ],
    platform_banks: ["HDFC", "YESBANK"],
    shops: names::SHOPS,
    suppliers: &[
        "BULKMANDI TRADERS",
        "CRESTGHAT IMPORTS PVT LTD",
        "DEPOT GYARAH AGENCIES",
        "ANAJGHAR WHOLESALE",
        "BANDARGATE GOODS LLP",
        "VYAPARPOST ENTERPRISES",
    ],
    schools: &["BRIGHTGYAN PUBLIC SCHOOL", "HILLSPRING VIDYALAYA", "LITTLE MAYUR PLAYSCHOOL", "TARAFIELD POLYTECHNIC"],
    school_bank: "HDFC",
    registrars: &["HIMSTONE CEMENT LTD", "INDRAWELD STEEL LTD", "CHANDRAFIELD MILLS LTD", "MERIDSURAKSHA LTD"],
    betting: &["DREAM11", "MY11CIRCLE", "RUMMYCIRCLE", "JUNGLEE RUMMY", "POKERBAAZI", "ZUPEE"],
    lenders: &[
        "BAJAJ FINANCE",
        "KREDITBEE",
        "MONEYVIEW",
        "NAVI FINSERV",
        "MUTHOOT FINANCE",
        "FIBE",
        "TATA CAPITAL",
        "HDB FINANCIAL SERVICES",
    ],
    small_lenders: &["RUPEESETU FINCAP", "TURANTPAISA FINANCE", "SIKKALADDER NBFC", "SAHYOGLINK CREDIT SOCIETY"],
    lender_banks: &["HDFC", "ICICI", "YESBANK", "AXIS"],
    telcos: &["JIO", "AIRTEL", "VI", "BSNL"],
    terminals: &[("", 90), ("PINE LABS", 6), ("BHARATPE", 4)],
    paying_agent: "RAZORPAY SOFTWARE",
    web_shops: &[
        Seller::new("AMAZON PAY INDIA", "AMAZON"),
        Seller::new("FLIPKART PAYMENTS", "FLIPKART"),
        Seller::new("OLACABS", "OLA"),
        Seller::new("SWIGGY LIMITED", "SWIGGY"),
    ],
    billers: &[
        Seller::new("BESCOM", "BESCOM"),
        Seller::new("MSEDCL", "MSEDCL"),
        Seller::new("INDANE GAS", "INDANE"),
        Seller::new("BWSSB WATER", "BWSSB"),
        Seller::new("ACT FIBERNET", "ACT FIBERNET"),
    ],
};

/// The mark is the branch's code.
const BANKS: &[Bank] = &[
    Bank::new("SBI", "State Bank of India", "SBIN0004871", 24),
    Bank::new("HDFC", "HDFC Bank", "HDFC0001204", 20),
    Bank::new("ICICI", "ICICI Bank", "ICIC0006217", 16),
    Bank::new("AXIS", "Axis Bank", "UTIB0000315", 10),
    Bank::new("KOTAK", "Kotak Mahindra Bank", "KKBK0001768", 7),
    Bank::new("PNB", "Punjab National Bank", "PUNB0112900", 6),
    Bank::new("CANARA", "Canara Bank", "CNRB0002415", 6),
    Bank::new("BARODA", "Bank of Baroda", "BARB0VADODA", 5),
    Bank::new("FEDERAL", "Federal Bank", "FDRL0001339", 3),
    Bank::new("INDUSIND", "IndusInd Bank", "INDB0000587", 3),
    Bank::new("YESBANK", "Yes Bank", "YESB0000661", 0),
    Bank::new("IDFC", "IDFC FIRST Bank", "IDFB0080412", 0),
];
