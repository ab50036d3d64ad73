//! Invented people and firms, and the real brands of banks, telephone companies, betting firms and lenders as
//! narrations name them. Data only.

/// Given names, upper case as banks print them.
pub(crate) const GIVEN: &[&str] = &[
    "ADAEZE",
    "ADEBAYO",
    "AISHA",
    "AMINA",
    "BABATUNDE",
    "BLESSING",
    "BOLANLE",
    "BUKOLA",
    "CHIAMAKA",
    "CHIDI",
    "CHINEDU",
    "CHUKWUEMEKA",
    "DAMILOLA",
    "EBERE",
    "EFE",
    "ELIZABETH",
    "EMMANUEL",
    "ESTHER",
    "FATIMA",
    "FEMI",
    "FOLAKE",
    "FUNKE",
    "GBENGA",
    "GRACE",
    "HALIMA",
    "HASSAN",
    "IBRAHIM",
    "IFEOMA",
    "JOSEPH",
    "JOY",
    "KEHINDE",
    "KELECHI",
    "KUNLE",
    "LATEEF",
    "MARYAM",
    "MUSA",
    "NGOZI",
    "NKECHI",
    "OBINNA",
    "OLUMIDE",
    "PATIENCE",
    "PETER",
    "RASHEED",
    "SADE",
    "SAMUEL",
    "SEGUN",
    "SULEIMAN",
    "TAIWO",
    "TEMITOPE",
    "TUNDE",
    "UCHE",
    "VICTORIA",
    "WALE",
    "YAKUBU",
    "YETUNDE",
    "ZAINAB",
];

/// Family names.
pub(crate) const FAMILY: &[&str] = &[
    "ABIOLA",
    "ABUBAKAR",
    "ADEBISI",
    "ADEKUNLE",
    "ADELEKE",
    "ADEYEMI",
    "AFOLABI",
    "AGBAJE",
    "AKANDE",
    "AKPAN",
    "ALABI",
    "AMADI",
    "ANOZIE",
    "AYODELE",
    "BALOGUN",
    "BASSEY",
    "BELLO",
    "DANJUMA",
    "EDET",
    "EFFIONG",
    "EKWUEME",
    "ETIM",
    "EZE",
    "FASHOLA",
    "GARBA",
    "IDOWU",
    "IGWE",
    "IROHA",
    "JIMOH",
    "LAWAL",
    "MADU",
    "MOHAMMED",
    "NNAMDI",
    "NWACHUKWU",
    "NWOSU",
    "OBI",
    "ODUYA",
    "OGUNLEYE",
    "OJO",
    "OKAFOR",
    "OKEKE",
    "OKON",
    "OKONKWO",
    "OLADIPO",
    "OLAWALE",
    "ONUOHA",
    "OSAGIE",
    "OYELARAN",
    "SALAMI",
    "SANNI",
    "TIJANI",
    "UDOH",
    "UMEH",
    "USMAN",
    "YUSUF",
    "ZUBAIRU",
];

/// Invented employers.
pub(crate) const EMPLOYERS: &[&str] = &[
    "ALDERMIRE FOODS LTD",
    "BRACKENWOLD LOGISTICS LTD",
    "CASSAVIA MILLS PLC",
    "DUNMORRA ENERGY LTD",
    "EBONHART SCHOOLS",
    "FERNLOCK SYSTEMS LTD",
    "GILDERSAND HOTELS LTD",
    "HARTWYN PHARMA LTD",
    "IRONBERRY WORKS LTD",
    "JUNIPERA TEXTILES",
    "KORALBAY SHIPPING LTD",
    "LUMENAK TELECOMS LTD",
    "MERIDOR INSURE PLC",
    "NIGHTJAR SECURITY LTD",
    "OAKENVEIL MEDIA LTD",
    "PALMRISE ESTATES LTD",
    "QUILLOR PRINT LTD",
    "REDKOLA BOTTLERS PLC",
    "SILVERGUM CLINICS",
    "TAMARAN CONSULT LTD",
    "UMBERLINE MOTORS LTD",
    "VERVAIN AGRO LTD",
    "WOLDSTONE CEMENT PLC",
    "YARROWAY FARMS LTD",
];

/// Invented offices of the state.
pub(crate) const OFFICES: &[&str] = &[
    "FGN MIN OF WORKS AND BRIDGES",
    "OYUN STATE TEACHING BOARD",
    "LGA HEALTH SERVICE",
    "STATE WATER BOARD",
    "FGN SURVEY OFFICE",
];

/// Invented pension payers.
pub(crate) const PENSION_PAYERS: &[&str] = &["GOLDENAGE PFA", "EVENTIDE PENSION MGRS", "OLDSTEAD PENSIONS LTD"];

/// Invented platforms that pay drivers, couriers and freelancers.
pub(crate) const PLATFORMS: &[&str] =
    &["ZIPPARIDE NIG LTD", "KARGOMOTO DELIVERY", "TASKWEAVE INC", "CHOPDASH LOGISTICS", "PENMARKET DIGITAL"];

/// Invented shops.
pub(crate) const SHOPS: &[&str] = &[
    "AJIMART STORES",
    "BLUEPOT EATERY",
    "CORNERSTONE PHARM",
    "DAILYNEED SUPERMKT",
    "EVERFRESH BAKERY",
    "FAVOURITE FUELS",
    "GREENCRATE FOODS",
    "HIGHWAY OIL & GAS",
    "ISLAND GRILLS",
    "JUMBO ELECTRONICS",
    "KINGSIZE WEARS",
    "LOVELY FABRICS",
    "MAMAPUT KITCHEN",
    "NEWDAWN CHEMIST",
    "OMEGA PHONES",
    "PRIMECUT BUTCHERS",
    "QUICKSTOP FUEL",
    "ROYALTY SALON",
];

/// Invented suppliers of traders.
pub(crate) const SUPPLIERS: &[&str] = &[
    "BULKHOUSE TRADING CO",
    "CRESTLINE IMPORTS",
    "DEPOT ELEVEN ENT",
    "GRANARY WHOLESALE",
    "HARBOURGATE GOODS LTD",
    "TRADEPOST VENTURES",
];

/// Invented schools.
pub(crate) const SCHOOLS: &[&str] =
    &["BRIGHTACRE ACADEMY", "HILLSPRING COLLEGE", "LITTLE ACORNS NURSERY", "STARFIELD POLYTECHNIC"];

/// Invented firms that pay dividends.
pub(crate) const REGISTRARS: &[&str] =
    &["CASSAVIA MILLS PLC", "REDKOLA BOTTLERS PLC", "WOLDSTONE CEMENT PLC", "MERIDOR INSURE PLC"];

/// Banks and wallets, as short codes in narrations and as words.
pub(crate) const BANKS: &[(&str, &str)] = &[
    ("ZENITH", "Zenith Bank"),
    ("GTB", "GTBank"),
    ("FBN", "First Bank"),
    ("UBA", "UBA"),
    ("ABN", "Access Bank"),
    ("FCMB", "FCMB"),
    ("FDP", "Fidelity Bank"),
    ("STANBIC", "Stanbic IBTC"),
    ("WEMA", "Wema Bank"),
    ("STERLING", "Sterling Bank"),
    ("KUDA", "Kuda"),
    ("OPAY", "OPay"),
    ("PALMPAY", "PalmPay"),
    ("MONIEPOINT", "Moniepoint"),
];

/// How many of the banks, from the first, keep the statements; all of them send money.
pub(crate) const HOME_BANKS: usize = 10;

/// Betting firms.
pub(crate) const BETTING: &[&str] = &["BET9JA", "SPORTYBET", "BETKING", "1XBET", "NAIRABET", "MSPORT"];

/// Lenders that word lists know.
pub(crate) const LENDERS: &[&str] =
    &["FAIRMONEY", "CARBON", "RENMONEY", "PALMCREDIT", "BRANCH INTL", "QUICKCHECK", "AELLA CREDIT", "OKASH"];

/// Invented lenders that no word list knows, whose narrations must speak for themselves.
pub(crate) const SMALL_LENDERS: &[&str] = &["KOLOBRIDGE MFB", "SWIFTPENCE FINANCE", "NAIRALADDER LTD", "AJOLINK COOP"];

/// Telephone companies.
pub(crate) const TELCOS: &[&str] = &["MTN", "airtel", "glo", "9Mobile"];

/// Cities.
pub(crate) const CITIES: &[&str] =
    &["LAGOS", "IBADAN", "IKEJA", "ABUJA", "KANO", "ENUGU", "PORT HARCOURT", "BENIN", "ABEOKUTA", "JOS"];

/// How card narrations end.
pub(crate) const TERMINAL_PLACES: &[&str] =
    &["LA LANG-", "LANG-", "OY OYNG-", "Ikeja NG-", "IBADAN NG-", "LAGOS NG-", "FC ABNG-"];

/// Family names that hold or are words of lists.
pub(crate) const TRAP_FAMILY: &[&str] = &["LOANI", "SALAKO", "BONUS", "BETHEL", "RENTON", "WAGESI", "FEESO", "PAYNE"];

/// Given names that hold or are words of lists.
pub(crate) const TRAP_GIVEN: &[&str] = &["GIFT", "BETTY", "WINNER", "PROMISE", "CREDO", "SALARIA", "LOANA", "REVERA"];
