//! What does each step of building an intent do?

use super::{ARGS, Intent, select};
use crate::key::error::{InputError, InputErrorKind};
use crate::key::json::Json;
use crate::key::pointer::JsonPointer;

impl Intent {
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        if name == ARGS && self.only.is_some() {
            return self.selected.as_ref();
        }
        self.members.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }

    pub(super) fn get_text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Json::String(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn text(self, name: &str, text: String) -> Self {
        self.and_then(|intent| intent.set(name.to_owned(), Json::String(text)))
    }

    /// Runs one step of building; only the first error is kept, since later ones may follow from it.
    pub(super) fn and_then(mut self, step: impl FnOnce(&mut Self) -> Result<(), InputError>) -> Self {
        if self.problem.is_none() {
            self.problem = step(&mut self).err();
        }
        self
    }

    pub(super) fn set(&mut self, name: String, value: Json) -> Result<(), InputError> {
        if self.members.iter().any(|(found, _)| *found == name) {
            let error = InputError::new(InputErrorKind::DuplicateName, "", "set each part once");
            return Err(error.under(&name));
        }
        self.members.push((name, value));
        self.reselect()
    }

    pub(super) fn restrict(&mut self, pointers: Vec<JsonPointer>) -> Result<(), InputError> {
        if self.only.is_some() {
            let detail = "name all members in one call of args_only";
            return Err(InputError::new(InputErrorKind::DuplicateName, "/args", detail));
        }
        self.only = Some(pointers);
        self.reselect()
    }

    /// Selects as soon as both the arguments and the pointers are there.
    pub(super) fn reselect(&mut self) -> Result<(), InputError> {
        let args = self.members.iter().find(|(name, _)| name == ARGS);
        if let (Some(pointers), Some((_, args)), None) = (&self.only, args, &self.selected) {
            self.selected = Some(select::select(args, pointers).map_err(|error| error.under(ARGS))?);
        }
        Ok(())
    }
}
