//! Writes offers as query parameters and reads them back, in each layout. Both are here, so that client and sandbox
//! cannot drift apart. Knows nothing of the call around them.

use super::Offer;
use crate::provider::wire::{Layout, Unsendable};

/// An offer's parameters in the interface's order.
pub(crate) const FIELDS: [&str; 10] = [
    "offerId",
    "amountOffered",
    "interest",
    "amountPayable",
    "fee",
    "tenure",
    "terms",
    "expiryDate",
    "currency",
    "isPartPaymentAllowed",
];

fn offer_field_values(offer: &Offer) -> [String; 10] {
    [
        offer.offer_id.clone(),
        offer.amount_offered.to_string(),
        offer.interest.to_string(),
        offer.amount_payable.to_string(),
        offer.fee.to_string(),
        offer.tenure.to_string(),
        offer.terms.clone(),
        offer.expiry_date.clone(),
        offer.currency.clone(),
        offer.is_part_payment_allowed.to_string(),
    ]
}

/// The parameters of all offers, from `offers` on; none without an offer.
pub(crate) fn write_offer_parameters(offers: &[Offer], layout: Layout) -> Result<Vec<(String, String)>, Unsendable> {
    if offers.is_empty() {
        return Ok(Vec::new());
    }
    let groups = offers.iter().enumerate().flat_map(|(index, offer)| {
        FIELDS.iter().zip(offer_field_values(offer)).map(move |(field, value)| (index, *field, value))
    });
    Ok(match layout {
        Layout::OneCallEach if offers.len() > 1 => {
            return Err(Unsendable::new("several offers in one call, where the layout is `one_call_each`"));
        }
        Layout::Repeated | Layout::OneCallEach => std::iter::once(("offers".to_owned(), offers.len().to_string()))
            .chain(groups.map(|(_, field, value)| (field.to_owned(), value)))
            .collect(),
        Layout::Indexed => groups.map(|(index, field, value)| (format!("offers[{index}].{field}"), value)).collect(),
        Layout::Json => {
            let list =
                serde_json::to_string(offers).map_err(|_| Unsendable::new("the offers cannot be written as JSON"))?;
            vec![("offers".to_owned(), list)]
        }
    })
}

/// Reads the parameters of [`write_offer_parameters`] strictly: all of them and no others. An offer's fields may be
/// in any order.
pub(crate) fn read_offer_parameters(pairs: &[(&str, &str)], layout: Layout) -> Result<Vec<Offer>, Unsendable> {
    let Some((first, rest)) = pairs.split_first() else {
        return Ok(Vec::new());
    };
    let offers = match layout {
        Layout::Repeated | Layout::OneCallEach => read_groups(first, rest, layout)?,
        Layout::Indexed => read_indexed(pairs)?,
        Layout::Json => {
            if first.0 != "offers" || !rest.is_empty() {
                return Err(Unsendable::new("only `offers` is expected beside `code`, `message` and `providerCode`"));
            }
            serde_json::from_str(first.1).map_err(|_| Unsendable::new("`offers` is not a JSON array of offers"))?
        }
    };
    if offers.is_empty() {
        return Err(Unsendable::new("`offers` is given but holds no offer"));
    }
    Ok(offers)
}

fn read_groups(first: &(&str, &str), rest: &[(&str, &str)], layout: Layout) -> Result<Vec<Offer>, Unsendable> {
    let count: usize = match first {
        ("offers", count) => count.parse().map_err(|_| Unsendable::new("`offers` is not a number"))?,
        _ => {
            return Err(Unsendable::new("`offers` must come before the first offer's parameters"));
        }
    };
    if layout == Layout::OneCallEach && count != 1 {
        return Err(Unsendable::new("`offers` is not 1, where the layout is `one_call_each`"));
    }
    let groups: Vec<_> = rest.chunks(FIELDS.len()).collect();
    if groups.len() != count {
        return Err(Unsendable::new("`offers` is not the number of offers that follow"));
    }
    groups.into_iter().map(read_offer).collect()
}

fn read_indexed(pairs: &[(&str, &str)]) -> Result<Vec<Offer>, Unsendable> {
    let mut groups: Vec<Vec<(&str, &str)>> = Vec::new();
    for (name, value) in pairs {
        let place = name.strip_prefix("offers[").and_then(|name| name.split_once("]."));
        let Some((index, field)) = place.and_then(|(index, field)| Some((index.parse::<usize>().ok()?, field))) else {
            return Err(Unsendable::new(format!("unknown parameter `{name}`")));
        };
        // Indices must be consecutive: a huge one would ask for as much memory.
        if index == groups.len() {
            groups.push(Vec::new());
        }
        match groups.get_mut(index) {
            Some(group) => group.push((field, value)),
            None => {
                return Err(Unsendable::new(format!("`{name}` comes before the offers that precede it")));
            }
        }
    }
    groups.iter().map(|group| read_offer(group)).collect()
}

fn read_offer(group: &[(&str, &str)]) -> Result<Offer, Unsendable> {
    if let Some((name, _)) = group.iter().find(|(name, _)| !FIELDS.contains(name)) {
        return Err(Unsendable::new(format!("unknown parameter `{name}`")));
    }
    let text = |field: &'static str| {
        let mut found = group.iter().filter(|(name, _)| *name == field);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Ok(*value),
            (None, _) => Err(Unsendable::new(format!("`{field}` is missing"))),
            (Some(_), Some(_)) => Err(Unsendable::new(format!("`{field}` is given twice for one offer"))),
        }
    };
    Ok(Offer {
        offer_id: text("offerId")?.to_owned(),
        amount_offered: parse_field_number("amountOffered", text("amountOffered")?)?,
        interest: parse_field_number("interest", text("interest")?)?,
        amount_payable: parse_field_number("amountPayable", text("amountPayable")?)?,
        fee: parse_field_number("fee", text("fee")?)?,
        tenure: parse_field_number("tenure", text("tenure")?)?,
        terms: text("terms")?.to_owned(),
        expiry_date: text("expiryDate")?.to_owned(),
        currency: text("currency")?.to_owned(),
        is_part_payment_allowed: parse_field_number("isPartPaymentAllowed", text("isPartPaymentAllowed")?)?,
    })
}

fn parse_field_number<T: std::str::FromStr>(field: &str, text: &str) -> Result<T, Unsendable> {
    text.parse().map_err(|_| Unsendable::new(format!("`{field}` is not of its type")))
}
