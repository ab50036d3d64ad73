//! Public samples of MT940, MT942 and OFX: each is read right, or refused with its place. Rows are read by a columns
//! file that names no currency, since samples have several, and leaves out the rows of stated balances.

use lendwright::statement::TableFormat;

use super::{Outcome, folder, hold, read};

const MT940: &[Outcome] = &[
    ("ASNB_mt940.txt", Ok((8, 282_890, 277_196, 8, Some(50_123)))),
    ("ASNB_mt940_with_spaces_for_entry_date.txt", Ok((8, 282_890, 277_196, 8, Some(50_123)))),
    ("betterplace_amount_formats.sta", Err("line 1: `:60F:` is in no message")),
    ("betterplace_currency_in_25.sta", Err("line 1: `:25:` is in no message")),
    ("betterplace_empty_86.sta", Err("line 1: `:86:` is in no message")),
    ("betterplace_empty_entry_date.sta", Err("line 1: `:61:` is in no message")),
    ("betterplace_empty_line.sta", Err("line 2: the message that begins here has no `:25:`")),
    ("betterplace_missing_crlf_at_end.sta", Err("line 1: `:62F:` is in no message")),
    ("betterplace_sepa_mt9401.sta", Ok((97, 518_847_494, 1_445_761_084, 97, Some(5_005)))),
    ("betterplace_sepa_snippet.sta", Ok((11, 143_074_572, 357_406_911, 4, Some(112_525_040)))),
    ("betterplace_sepa_snippet_broken.sta", Err("line 6: :25: is there twice in a message")),
    ("betterplace_with_binary_character.sta", Ok((4, 1_421_530, 19_328_205, 4, Some(13_119_319)))),
    ("citi_mt940.txt", Ok((5, 0, 114_275, 5, Some(1_623_392)))),
    ("cmxl_account_balance_credit.sta", Err("line 1: `:60F:` is in no message")),
    ("cmxl_account_balance_debit.sta", Err("line 1: `:60F:` is in no message")),
    ("cmxl_account_identification_iban.sta", Err("line 1: `:25:` is in no message")),
    ("cmxl_account_identification_legacy.sta", Err("line 1: `:25:` is in no message")),
    ("cmxl_available_balance.sta", Err("line 1: `:64:` is in no message")),
    ("cmxl_closing_balance.sta", Err("line 1: `:62F:` is in no message")),
    // The days of one message are in no order, so its entries have no balance.
    ("cmxl_mt940.sta", Ok((16, 7_243_674, 6_010_944, 5, Some(5_004_000)))),
    ("cmxl_reference.sta", Err("line 1: the message that begins here has no `:25:`")),
    ("cmxl_statement_details.sta", Err("line 1: `:61:` is in no message")),
    ("cmxl_statement_line.sta", Err("line 1: `:61:` is in no message")),
    ("cmxl_statement_number.sta", Err("line 1: `:28C:` is in no message")),
    // Of its second statement, the parts before and after are missing.
    ("jejik_abnamro.sta", Err("line 35: :60M: goes on from a part of the statement")),
    ("jejik_generic.sta", Ok((2, 0, 2_000, 2, Some(8_000)))),
    ("jejik_ing.sta", Ok((7, 468, 5_027, 0, None))),
    ("jejik_knab.sta", Err("line 17: :61: `500` is not an amount")),
    ("jejik_postfinance.sta", Ok((4, 23_930, 7_990, 2, Some(22_920)))),
    ("jejik_rabobank-iban.sta", Ok((4, 0, 7_000, 4, Some(93_000)))),
    ("jejik_rabobank.sta", Ok((5, 0, 158_909, 2, Some(410_182)))),
    ("jejik_sns.sta", Ok((2, 0, 2_500, 2, Some(120_956)))),
    ("jejik_triodos.sta", Ok((2, 0, 71_570, 0, None))),
    ("mBank_mt940.sta", Ok((3, 3, 0, 3, Some(43)))),
    ("mBank_mt942.sta", Ok((3, 3, 0, 0, None))),
    ("mBank_with_newline_in_tnr.sta", Ok((2, 8_900, 0, 0, None))),
    ("sberbank_171011_01234945.sta", Ok((3, 0, 943_700, 3, Some(61_787_430)))),
    ("self-provided_account_identification.sta", Err("line 1: the message that begins here has no `:60F:` or `:34F:`")),
    ("self-provided_details_60-63.sta", Ok((1, 0, 23_315, 0, None))),
    ("self-provided_empty_non_swift.sta", Err("line 1: `:NS:` is in no message")),
    ("self-provided_february_30.sta", Err("line 6: :61: `160230` is not a day written YYMMDD")),
    ("self-provided_gv_codes.sta", Err("line 1: the message that begins here has no `:62F:` or `:62M:`")),
    ("self-provided_invalid_statement.sta", Err("no `:20:` begins a line")),
    ("self-provided_long_statement_number.sta", Ok((0, 0, 0, 0, None))),
    ("self-provided_malformed_details.sta", Ok((1, 0, 23_315, 0, None))),
    ("self-provided_mt942.sta", Err("line 11: :90D: states 1 entries of 2.3, but the message has 1 of 0.42")),
    ("self-provided_multiline.sta", Err("line 38: `:61:` is in no message")),
    ("self-provided_overly_long_details.sta", Ok((1, 0, 23_315, 0, None))),
    ("self-provided_raiffeisen-cmi.sta", Ok((7, 206_663_700, 307_885_050, 0, None))),
    ("self-provided_raphaelm.sta", Err("line 27: :62M: has no currency where its three letters belong")),
    ("self-provided_sparkassen.sta", Err("line 1: `:61:` is in no message")),
    ("self-provided_transaction_details_wrapped.sta", Err("line 6: :61: `160230` is not a day written YYMMDD")),
    ("self-provided_whitespace.sta", Ok((1, 0, 23_315, 0, None))),
    ("self-provided_wrapped_timestamp.sta", Err("line 5: :61: `160230` is not a day written YYMMDD")),
];

const OFX: &[Outcome] = &[
    ("ofxparse__account_listing_aggregation.ofx", Err("there is no statement of an account")),
    ("ofxparse__anzcc.ofx", Ok((1, 0, 550, 0, None))),
    ("ofxparse__bank_medium.ofx", Ok((3, 0, 34_527, 0, None))),
    ("ofxparse__bank_small.ofx", Err("there is no statement of an account")),
    ("ofxparse__checking.ofx", Ok((3, 1, 5_951, 0, None))),
    ("ofxparse__fail_date_missing.ofx", Err("line 33, column 5: the entry has no `<DTPOSTED>`")),
    ("ofxparse__fail_decimal_error.ofx", Err("line 36, column 21: <DTPOSTED>: `201120000000` is not a day")),
    ("ofxparse__fail_empty_balance.ofx", Ok((1, 12_000, 0, 0, None))),
    ("ofxparse__fidelity-savings.ofx", Err("line 28, column 3: statements of investments are not read")),
    ("ofxparse__multiple_accounts.ofx", Ok((0, 0, 0, 0, None))),
    ("ofxparse__ofx-v102-empty-tags.ofx", Ok((1, 1_234, 0, 0, None))),
    ("ofxparse__suncorp.ofx", Ok((1, 0, 1_685, 0, None))),
];

#[test]
fn each_public_sample_of_mt940_is_read_right_or_refused() {
    hold("mt940", TableFormat::Mt940, MT940);
}

#[test]
fn each_public_sample_of_ofx_is_read_right_or_refused() {
    hold("ofx", TableFormat::Ofx, OFX);
}

/// Bytes changed, lost and put in at random.
fn damaged(whole: &[u8], next: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=next(4) {
        let at = next(bytes.len().max(1));
        match next(4) {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << next(8)),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..(at + next(40)).min(bytes.len()))),
            _ => bytes.insert(at.min(bytes.len()), b":-61,?/<>\n"[next(10)]),
        }
    }
    bytes
}

#[test]
fn damaged_samples_are_read_or_refused_in_words() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for (format, kind, samples) in [("mt940", TableFormat::Mt940, MT940), ("ofx", TableFormat::Ofx, OFX)] {
        let Some(folder) = folder(format) else { continue };
        for (name, _) in samples {
            let whole = std::fs::read(folder.join(name)).expect("a sample");
            // Long samples take long, so they are damaged less often.
            for round in 0..(300_000 / whole.len().max(1)).clamp(20, 500) {
                if let Err(error) = read(kind, &damaged(&whole, &mut next)) {
                    assert!(error.to_string().len() > 10, "{name}, round {round}: {error}");
                }
            }
        }
    }
}
