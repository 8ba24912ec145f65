//! What is in a `sluice.toml`?

use super::error::ContractError;
use super::read::{self, Place};
use super::{Contract, ContractBuilder};
use crate::near::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What each member of an `[effect.NAME]` takes, in words: the names are the whole of what a contract may say.
pub const FIELDS: [(&str, &str); 31] = [
    ("one", "a text: there should be one …"),
    ("for_each", "a text: … for each …"),
    ("definition", "a text: when something counts as that"),
    ("identity", "a list of paths: the members that tell one action from another"),
    ("scope", "a list of paths: the members within which the identity is unique"),
    ("fingerprint", "a list of paths: what is compared when the key comes again"),
    ("sensitive", "a list of paths: what enters a key only as a keyed hash"),
    ("identity_key", "a text: the name of the key that sensitive members are hashed with"),
    ("object_id", "a path: the member of the result that names the object that came out"),
    ("run_id", "a path: which run it is, for people"),
    ("actor", "a path: who wants it, for people"),
    ("first_sent", "a path: when the intent was first sent"),
    ("delivery", "a path: what tells one delivery from another, for people"),
    ("duplicates_arrive_within", "a time, as in \"7d\": how long the sender may deliver again"),
    ("remember", "a time, as in \"90d\": how long the intent is remembered"),
    ("keep_result", "a time, as in \"7d\": how long its result is kept"),
    ("on_duplicate", "\"replay\", \"already_processed\" or \"conflict\""),
    ("on_indeterminate", "\"refuse\", \"probe\" or \"reclaim\""),
    ("on_failed", "\"replay\" or \"rerun\""),
    ("repeatable", "true or false: running it twice does no harm"),
    ("marked", "true or false: the effect marks its point of no return"),
    ("tries", "a whole number, 1 to 100"),
    ("deadline", "a time, as in \"30s\", for the whole delivery"),
    ("circuit", "a text: which target it is that fails or not"),
    ("downstream", "the name of a known target, or a table that describes one"),
    ("probe", "a text: a shell command that asks the target whether it happened"),
    ("also_writes", "a list of texts: what else the effect writes to"),
    ("ids_unique_in", "\"tenant\", \"account\", \"workflow\" or \"global\""),
    ("one_per_event", "true or false: one event is one action"),
    ("period", "a table, as in { every = \"day\", of = \"event.scheduled_for\", tz = \"Europe/Berlin\" }"),
    ("previous", "a list of tables: how keys were derived before"),
];

/// What belongs to one effect alone, so that `[defaults]` has none of it.
pub const OWN_FIELDS: [&str; 7] =
    ["one", "for_each", "definition", "identity", "period", "previous", "object_id"];

/// The contracts of one file, in its order.
///
/// ```
/// use sluice_core::contract::Contracts;
///
/// let text = "version = 1\n[defaults]\nscope = [\"tenant_id\"]\n[effect.refund]\nidentity = [\"args.refund_id\"]\n";
/// let contracts = Contracts::parse(text)?;
/// assert_eq!(contracts.get("refund").unwrap().scope[0].as_str(), "tenant_id");
/// let wrong = Contracts::parse("version = 1\n[effect.refund]\nidentiy = [\"args.refund_id\"]\n").unwrap_err();
/// assert_eq!(wrong.line(), Some(3));
/// assert!(wrong.message().contains("identity may be meant"));
/// # Ok::<(), sluice_core::contract::ContractError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contracts {
    effects: Vec<Contract>,
}

impl Contracts {
    /// Reads the text of a `sluice.toml`.
    ///
    /// # Errors
    /// [`ContractError`] with the line: what is no TOML, has another version, a member that is not known, a value of the wrong
    /// kind, and everything that [`ContractBuilder::build`] refuses.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        if text.starts_with('\u{feff}') {
            return Err(
                ContractError::new("the file begins with a byte order mark: write it without one").at(1)
            );
        }
        let place = Place::of(text);
        let parsed = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| place.line(span.start));
            ContractError::new(format!("this is no TOML: {}", first_line(error.message()))).at(line)
        })?;
        let table = parsed.get_ref();
        check_top(table, &place)?;
        let defaults =
            table.get("defaults").map(|value| read::table(value, "defaults", &place)).transpose()?;
        let mut effects = Vec::new();
        if let Some(found) = table.get("effect") {
            for (name, value) in in_order(read::table(found, "effect", &place)?) {
                effects.push(effect(name.get_ref(), value, defaults, &place)?);
            }
        }
        Ok(Self { effects })
    }

    /// Returns the contract of that effect.
    pub fn get(&self, effect: &str) -> Option<&Contract> {
        self.effects.iter().find(|contract| contract.effect == effect)
    }

    /// Returns every contract.
    pub fn iter(&self) -> std::slice::Iter<'_, Contract> {
        self.effects.iter()
    }

    /// Returns the effect of that name that may be meant.
    pub fn nearest(&self, effect: &str) -> Option<&str> {
        nearest(effect, self.effects.iter().map(|contract| contract.effect.as_str()))
    }
}

impl<'a> IntoIterator for &'a Contracts {
    type Item = &'a Contract;
    type IntoIter = std::slice::Iter<'a, Contract>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

type Entry<'t, 'i> = (&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

fn check_top(table: &DeTable<'_>, place: &Place) -> Result<(), ContractError> {
    const KNOWN: [&str; 3] = ["version", "defaults", "effect"];
    for (name, _) in in_order(table) {
        if !KNOWN.contains(&&**name.get_ref()) {
            return Err(unknown("the file", name.get_ref(), &KNOWN).at(place.line(name.span().start)));
        }
    }
    let version = table
        .get("version")
        .ok_or_else(|| ContractError::new("write version = 1 in the first line").at(1))?;
    match version.get_ref().as_integer().map(toml::de::DeInteger::as_str) {
        Some("1") => Ok(()),
        _ => Err(ContractError::new("this sluice reads version = 1 of the file")
            .at(place.line(version.span().start))),
    }
}

fn effect(
    name: &str,
    value: &Spanned<DeValue<'_>>,
    defaults: Option<&DeTable<'_>>,
    place: &Place,
) -> Result<Contract, ContractError> {
    let title = format!("[effect.{name}]");
    let line = place.line(value.span().start);
    let own = read::table(value, &title, place)?;
    let mut builder = Contract::builder(name);
    for (member, value) in defaults.into_iter().flat_map(in_order) {
        if OWN_FIELDS.contains(&&**member.get_ref()) {
            let said = format!("[defaults] has no {}: it belongs to one effect alone", member.get_ref());
            return Err(ContractError::new(said).at(place.line(member.span().start)));
        }
        if !own.contains_key(&**member.get_ref()) {
            builder = set(builder, "[defaults]", member, value, place)?;
        }
    }
    for (member, value) in in_order(own) {
        builder = set(builder, &title, member, value, place)?;
    }
    builder.build().map_err(|error| error.within(&title).at(line))
}

/// Sets one member; a value that does not fit is known by its name and line.
fn set(
    builder: ContractBuilder,
    title: &str,
    member: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
    place: &Place,
) -> Result<ContractBuilder, ContractError> {
    let name: &str = member.get_ref();
    let Some((_, takes)) = FIELDS.iter().find(|(field, _)| *field == name) else {
        return Err(unknown(title, name, &FIELDS.map(|(field, _)| field)).at(place.line(member.span().start)));
    };
    let at = |error: ContractError| error.at(place.line(value.span().start));
    let misfit = || ContractError::new(format!("{title} {name} takes {takes}"));
    let mut builder = read::field(builder, name, value, place).map_err(at)?.ok_or_else(|| at(misfit()))?;
    match builder.take_problem() {
        Some(problem) => Err(at(problem.within(&format!("{title} {name}")))),
        None => Ok(builder),
    }
}

pub(super) fn unknown(place: &str, name: &str, known: &[&str]) -> ContractError {
    let near = nearest(name, known.iter().copied());
    let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    ContractError::new(match near {
        Some(near) => format!("{place} has no member {name}: {near} may be meant"),
        None => format!("{place} has no member {name}: it has {}", known.join(", ")),
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
