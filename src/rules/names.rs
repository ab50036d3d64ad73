//! What each name is, where it is defined and where it is used. For editors, so also for files with mistakes.

use std::collections::HashMap;

use crate::base::diagnostic::Span;
use crate::rules::grain::Grain;
use crate::rules::types::Type;

/// The names of a rule file and of the files it uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Defined and built-in names, by name.
    pub defined: Vec<NamedSymbol>,
    /// Where names are used, except their definitions.
    pub uses: Vec<Use>,
    /// The namespace of each source's names, unless it is the common one.
    pub spaces: HashMap<u32, String>,
}

/// The sorts of names. Each sort has its own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sort {
    /// Columns, definitions, outputs of tables, the score, inputs (`request.name`).
    Value,
    /// `$name`
    Parameter,
    /// `mentions(name)`
    Words,
    /// `in_list(name, ...)`
    List,
}

/// One name.
#[derive(Clone, Debug)]
pub(crate) struct NamedSymbol {
    pub sort: Sort,
    /// The whole name, with its namespace.
    pub name: String,
    /// Where it is defined; `None` if built in.
    pub span: Option<Span>,
    /// Its type; `None` if its definition has a mistake.
    pub ty: Option<Type>,
    pub grain: Grain,
    /// Every text that it may be, if they are known.
    pub texts: Vec<String>,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub sort: Sort,
    pub name: String,
    pub span: Span,
}

impl Names {
    pub(in crate::rules) fn used(&mut self, sort: Sort, name: &str, span: Span) {
        self.uses.push(Use { sort, name: name.to_owned(), span });
    }

    /// Sorts by sort and name, and drops duplicates, because an offer is checked once per tenure.
    pub(in crate::rules) fn sort(&mut self) {
        self.defined.sort_by(|one, other| (one.sort, &one.name).cmp(&(other.sort, &other.name)));
        self.uses.sort_by_key(|used| (used.span.source, used.span.start, used.span.end));
        self.uses.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n
[parameters]\nlow = 3\n[words]\nbet = [\"bet\"]\n[request]\namount = \"money\"
[transaction]\nis_bet = \"mentions(bet)\"
[metric]\nbets = \"COUNT(*) FILTER (WHERE is_bet)\"\nwrong = \"bets + \"
[[require]]\nid = \"R\"\nwhen = \"bets < $low\"\nreason = \"{bets} of {$low}, {request.amount}\"
[table.t]\nhit = \"first\"\ninputs = [\"bets\"]\noutputs = { grade = \"text\" }\nrows = [[\"< $low\", \"A\"]]\n";

    #[test]
    fn names_are_known_with_their_places_also_beside_mistakes() {
        let inspected = crate::rules::inspect_rule_file("x", POLICY, &mut |_| Err(String::new()), &[]);
        assert!(inspected.policy.is_none());
        let names = inspected.names.expect("names");
        let shown: Vec<&str> =
            names.uses.iter().map(|used| &POLICY[used.span.start as usize..used.span.end as usize]).collect();
        assert_eq!(shown, ["bet", "is_bet", "bets", "$low", "bets", "$low", "request.amount", "bets", "$low"]);
        let named = |name: &str| names.defined.iter().find(|named| named.name == name).expect("a name");
        assert_eq!((named("bets").ty, named("bets").grain), (Some(Type::COUNT), Grain::Statement));
        assert_eq!((named("is_bet").ty, named("is_bet").grain), (Some(Type::BOOLEAN), Grain::Transaction));
        assert_eq!((named("wrong").ty, named("credit").span), (None, None));
        for name in ["bets", "is_bet", "wrong", "low", "bet", "grade"] {
            let span = named(name).span.expect("a place");
            assert_eq!(&POLICY[span.start as usize..span.end as usize], name);
        }
    }
}
