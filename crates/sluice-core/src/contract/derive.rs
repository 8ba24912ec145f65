//! What does a contract make of an event?

use super::Contract;
use super::hashed::IdentityKeys;
use super::path::MemberPath;
use super::period::moment;
use super::previous::Previous;
use crate::deliveries::DeliveryId;
use crate::key::{InputError, InputErrorKind, Json, Key, Request};
use crate::record::{Labels, LedgerTime};
use std::borrow::Cow;

/// Everything of a delivery that follows from its event.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The key of the intent.
    pub key: Key,
    /// The keys that it had under earlier derivations that may still be remembered, newest first.
    pub also_known_as: Vec<Key>,
    /// What is compared when the key comes again.
    pub request: Option<Request>,
    /// Words for people; what is sensitive is hashed here too.
    pub labels: Labels,
    /// When the intent was first sent.
    pub first_sent: Option<LedgerTime>,
    /// What tells this delivery from others.
    pub delivery: Option<DeliveryId>,
    /// The object that the key is the hash of.
    pub parts: Json,
}

impl Contract {
    /// Derives the key of an event, and whatever else follows from it.
    ///
    /// # Errors
    /// [`InputErrorKind::NotAnObject`] for an event that is none; [`InputErrorKind::MissingMember`], with the path, for a
    /// member of identity, scope or period that is absent, null or an empty text: such events would all share one key.
    /// [`InputErrorKind::Other`] for a time that is none, and for a sensitive member without a key to hash it with
    /// (which is a setting: [`Contract::lacks_key`] tells beforehand).
    pub fn derive(&self, event: &Json, keys: &IdentityKeys, now: LedgerTime) -> Result<Derived, InputError> {
        if !matches!(event, Json::Object(_)) {
            return Err(InputError::new(InputErrorKind::NotAnObject, "", "an event is an object of members"));
        }
        let current = Derivation::current(self);
        let hidden = self.hidden(event, keys, current.identity_key)?;
        let parts = current.parts(&hidden)?;
        let key = parts.key();
        let also_known_as = self.earlier(event, keys, now, &key);
        Ok(Derived {
            also_known_as,
            request: self.request(event)?,
            labels: self.labels(&hidden),
            first_sent: self.first_sent(event)?,
            delivery: self.delivery_id(&hidden),
            key,
            parts,
        })
    }

    /// Derives the key alone, which is all that many recorded events are asked for.
    ///
    /// # Errors
    /// Those of [`Contract::derive`].
    pub fn key(&self, event: &Json, keys: &IdentityKeys) -> Result<Key, InputError> {
        Derivation::current(self).key(event, keys)
    }

    /// Returns the name of an identity key that deriving needs and that is not at hand; `Some("")` where any would do.
    pub fn lacks_key<'a>(&'a self, keys: &IdentityKeys) -> Option<&'a str> {
        if self.sensitive.is_empty() {
            return None;
        }
        match self.identity_key.as_deref() {
            Some(name) => (!keys.names().contains(&name)).then_some(name),
            None => keys.names().is_empty().then_some(""),
        }
    }

    /// The keys under earlier derivations. One that this event has no members for gave it no key then either.
    fn earlier(&self, event: &Json, keys: &IdentityKeys, now: LedgerTime, current: &Key) -> Vec<Key> {
        let mut earlier: Vec<Key> = Vec::new();
        for previous in self.previous.iter().filter(|previous| previous.is_needed(self, now)) {
            let Ok(key) = Derivation::earlier(self, previous).key(event, keys) else { continue };
            if key != *current && !earlier.contains(&key) {
                earlier.push(key);
            }
        }
        earlier
    }

    /// The event with a hash in place of every sensitive member.
    fn hidden<'e>(
        &self,
        event: &'e Json,
        keys: &IdentityKeys,
        name: Option<&str>,
    ) -> Result<Cow<'e, Json>, InputError> {
        if self.sensitive.is_empty() {
            return Ok(Cow::Borrowed(event));
        }
        let mut hidden = event.clone();
        for path in &self.sensitive {
            let Some(found) = path.find(event).filter(|value| !is_empty(value)) else { continue };
            let detail =
                "it is sensitive, and there is no identity key to hash it with: set SLUICE_IDENTITY_KEY";
            let hash = keys.hash(name, found);
            let hash = hash.ok_or_else(|| InputError::new(InputErrorKind::Other, path.as_str(), detail))?;
            path.replace(&mut hidden, |_| hash);
        }
        Ok(Cow::Owned(hidden))
    }

    /// Returns what is compared. The members enter as they are: the fingerprint is keyed itself, and rotating an identity key must not change it.
    ///
    /// # Errors
    /// None for an event that was parsed.
    pub fn request(&self, event: &Json) -> Result<Option<Request>, InputError> {
        if self.fingerprint.is_empty() {
            return Ok(None);
        }
        let found = self
            .fingerprint
            .iter()
            .filter_map(|path| Some((path.as_str().to_owned(), path.find(event)?.clone())));
        Json::object(found.collect()).map(|members| Some(Request::json_value(&members)))
    }

    fn labels(&self, hidden: &Json) -> Labels {
        let text =
            |path: &Option<MemberPath>| path.as_ref().and_then(|path| path.find(hidden)).and_then(as_text);
        Labels {
            tool: Some(self.effect.clone()),
            actor: text(&self.actor),
            run_id: text(&self.run_id),
            object_id: None,
        }
    }

    fn first_sent(&self, event: &Json) -> Result<Option<LedgerTime>, InputError> {
        let found = self.first_sent.as_ref().and_then(|path| Some((path, path.find(event)?)));
        let Some((path, value)) = found else { return Ok(None) };
        moment(value).map(|time| Some(LedgerTime(time.as_millisecond()))).ok_or_else(|| no_time(path))
    }

    /// What is too long to be kept is left out: it is for people, and no reason to refuse the effect.
    fn delivery_id(&self, hidden: &Json) -> Option<DeliveryId> {
        let value = self.delivery.as_ref()?.find(hidden)?;
        let text = as_text(value).unwrap_or_else(|| value.canonical());
        DeliveryId::new(&text).ok()
    }
}

/// One way to derive a key.
struct Derivation<'a> {
    effect: &'a str,
    identity: &'a [MemberPath],
    scope: &'a [MemberPath],
    identity_key: Option<&'a str>,
    contract: &'a Contract,
}

impl<'a> Derivation<'a> {
    fn current(contract: &'a Contract) -> Self {
        let Contract { effect, identity, scope, identity_key, .. } = contract;
        Self { effect, identity, scope, identity_key: identity_key.as_deref(), contract }
    }

    fn earlier(contract: &'a Contract, previous: &'a Previous) -> Self {
        let current = Self::current(contract);
        Self {
            effect: previous.effect.as_deref().unwrap_or(current.effect),
            identity: previous.identity.as_deref().unwrap_or(current.identity),
            scope: previous.scope.as_deref().unwrap_or(current.scope),
            identity_key: previous.identity_key.as_deref().or(current.identity_key),
            contract,
        }
    }

    fn key(&self, event: &Json, keys: &IdentityKeys) -> Result<Key, InputError> {
        let hidden = self.contract.hidden(event, keys, self.identity_key)?;
        self.parts(&hidden).map(|parts| parts.key())
    }

    fn parts(&self, hidden: &Json) -> Result<Json, InputError> {
        let mut parts = vec![
            ("effect".to_owned(), Json::from(self.effect)),
            ("scope".to_owned(), members(self.scope, hidden)?),
            ("identity".to_owned(), members(self.identity, hidden)?),
        ];
        if let Some(period) = &self.contract.period {
            let text = period.of_time(required(&period.of, hidden)?).ok_or_else(|| no_time(&period.of))?;
            parts.push(("period".to_owned(), Json::String(text)));
        }
        Json::object(parts)
    }
}

fn members(paths: &[MemberPath], hidden: &Json) -> Result<Json, InputError> {
    let member = |path: &MemberPath| Ok((path.as_str().to_owned(), required(path, hidden)?.clone()));
    Json::object(paths.iter().map(member).collect::<Result<_, InputError>>()?)
}

fn required<'a>(path: &MemberPath, hidden: &'a Json) -> Result<&'a Json, InputError> {
    let detail = match path.find(hidden) {
        Some(value) if !is_empty(value) => return Ok(value),
        Some(_) => "the contract needs it and it is empty here: all such events would share one key",
        None => "the contract needs it and the event does not have it",
    };
    Err(InputError::new(InputErrorKind::MissingMember, path.as_str(), detail))
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        _ => false,
    }
}

fn no_time(path: &MemberPath) -> InputError {
    let detail = "it should be a point in time: RFC 3339 with an offset, or milliseconds since 1970";
    InputError::new(InputErrorKind::Other, path.as_str(), detail)
}

fn as_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(_) => Some(value.canonical()),
        _ => None,
    }
}
