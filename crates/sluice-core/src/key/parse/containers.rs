//! How are arrays and objects read?

use super::Parser;
use crate::key::depth::too_deep;
use crate::key::error::InputError;
use crate::key::json::{Json, duplicate_name};
use crate::key::order;

impl Parser<'_> {
    pub(super) fn array(&mut self, level: usize) -> Result<Json, InputError> {
        self.open(level)?;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            let item = self.value(level + 1).map_err(|error| error.under_index(items.len()))?;
            items.push(item);
            if self.closes(b']', "separate elements with , and end the array with ]")? {
                return Ok(Json::Array(items));
            }
        }
    }

    pub(super) fn object(&mut self, level: usize) -> Result<Json, InputError> {
        let start = self.at;
        self.open(level)?;
        let mut members = Vec::new();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            let name = self.member_name()?;
            match self.value(level + 1) {
                Ok(value) => members.push((name, value)),
                Err(error) => return Err(error.under(&name)),
            }
            if self.closes(b'}', "separate members with , and end the object with }")? {
                break;
            }
        }
        match order::sort(&mut members) {
            Ok(()) => Ok(Json::Object(members)),
            Err(name) => Err(self.duplicate(start, level, &name)),
        }
    }

    /// Steps into a container; refuses before the stack grows any further.
    fn open(&mut self, level: usize) -> Result<(), InputError> {
        if level >= self.limit {
            return Err(too_deep(self.limit).at_byte(self.at));
        }
        self.at += 1;
        self.skip_white_space();
        Ok(())
    }

    /// Reads what follows an element or member: true for the end, false for a comma.
    fn closes(&mut self, end: u8, detail: &'static str) -> Result<bool, InputError> {
        self.skip_white_space();
        if self.take(end) {
            return Ok(true);
        }
        if !self.take(b',') {
            return Err(self.not_json(detail));
        }
        self.skip_white_space();
        Ok(false)
    }

    /// Reads a name and the colon after it.
    fn member_name(&mut self) -> Result<String, InputError> {
        if self.peek() != Some(b'"') {
            return Err(self.not_json("write a member name in double quotes"));
        }
        let name = self.string()?;
        self.skip_white_space();
        if !self.take(b':') {
            return Err(self.not_json("write : after a member name").under(&name));
        }
        self.skip_white_space();
        Ok(name)
    }

    /// Finds where the name stands the second time, by reading the object again.
    ///
    /// Only this error needs to know, so a text without duplicates pays nothing for it.
    fn duplicate(&mut self, start: usize, level: usize, name: &str) -> InputError {
        self.at = start + 1;
        let offset = self.second_place(level, name).unwrap_or(start);
        duplicate_name().under(name).at_byte(offset)
    }

    fn second_place(&mut self, level: usize, name: &str) -> Option<usize> {
        let mut seen = false;
        self.skip_white_space();
        loop {
            let place = self.at;
            if self.member_name().ok()? == name {
                if seen {
                    return Some(place);
                }
                seen = true;
            }
            self.value(level + 1).ok()?;
            if self.closes(b'}', "").ok()? {
                return None;
            }
        }
    }
}
