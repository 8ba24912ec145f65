//! Does a text hold an e-mail address?

use super::words::Words;

const LONGEST_LOCAL: usize = 64;
const LONGEST_DOMAIN: usize = 253;
/// How far before an address a URL may begin that it belongs to.
const LONGEST_CREDENTIALS: usize = 128;

/// Endings of files that are written with an `@` and are no domains.
const FILES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "json", "css"];

/// Finds an address alone, in a list, behind a name as in `Jo <jo@example.org>`, or inside a text without white space.
///
/// An address in the middle of a sentence is prose, and prose in a key has other troubles.
pub(super) fn is_in(words: &Words, text: &str) -> bool {
    if !text.contains('@') {
        return false;
    }
    if words.end_with_any(&["email", "e mail", "email address"]) {
        return true;
    }
    if text.contains(char::is_whitespace) {
        text.split([',', ';']).any(|item| is_mailbox(item.trim()))
    } else {
        !is_repository(text) && is_inside(text)
    }
}

/// `someone@host:path/to.git`, as a version control system writes it.
fn is_repository(text: &str) -> bool {
    text.as_bytes().ends_with(b".git") && text.contains(':')
}

fn is_mailbox(item: &str) -> bool {
    let named = item.strip_suffix('>').and_then(|item| item.rsplit_once('<'));
    let address = named.map_or(item, |(_, address)| address);
    !address.contains(char::is_whitespace) && is_inside(address)
}

/// Looks around each `@`, never further than an address can be long.
fn is_inside(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| *byte == b'@' && is_around(bytes, at))
}

fn is_around(bytes: &[u8], at: usize) -> bool {
    let local = bytes[..at].iter().rev().take(LONGEST_LOCAL + 1).take_while(|b| is_local(**b)).count();
    let domain = bytes[at + 1..].iter().take(LONGEST_DOMAIN + 1).take_while(|b| is_domain_byte(**b)).count();
    if !(1..=LONGEST_LOCAL).contains(&local) || domain > LONGEST_DOMAIN {
        return false;
    }
    let (before, local) = bytes[..at].split_at(at - local);
    let (domain, after) = bytes[at + 1..].split_at(domain);
    is_domain(domain.trim_ascii_end_of(b".-")) && !is_remote(before, local, after)
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-') || !byte.is_ascii()
}

fn is_domain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || !byte.is_ascii()
}

/// `git@host:path`, `https://user:word@host/` and `@jo@social.example` name places and not mailboxes.
fn is_remote(before: &[u8], local: &[u8], after: &[u8]) -> bool {
    let window = &before[before.len().saturating_sub(LONGEST_CREDENTIALS)..];
    let credentials = window.windows(3).rposition(|three| three == b"://");
    let in_url = credentials.is_some_and(|at| !window[at + 3..].contains(&b'/'));
    let remote_path = matches!(after, [b':', b'/' | b'~', ..]);
    in_url || remote_path || local == b"git" || before.last() == Some(&b'@')
}

fn is_domain(domain: &[u8]) -> bool {
    let Ok(domain) = std::str::from_utf8(domain) else { return false };
    let Some((front, top)) = domain.rsplit_once('.') else { return false };
    let is_top = (2..=24).contains(&top.len()) && top.bytes().all(|b| b.is_ascii_alphabetic())
        || top.starts_with("xn--")
        || !top.is_ascii();
    is_top && !FILES.contains(&top) && is_front(front)
}

/// A part of digits alone belongs to a version, `tool@1.0.beta`, unless it is all there is, as in `163.com`.
fn is_front(front: &str) -> bool {
    let alone = !front.contains('.');
    front.split('.').all(|part| {
        let digits = part.bytes().all(|b| b.is_ascii_digit());
        let is_scale = part.len() == 2 && part.ends_with('x') && part.as_bytes()[0].is_ascii_digit();
        !part.is_empty() && !part.starts_with('-') && !is_scale && (alone || !digits)
    })
}

trait TrimEnd {
    fn trim_ascii_end_of(&self, unwanted: &[u8]) -> &Self;
}

impl TrimEnd for [u8] {
    /// A full stop or hyphen behind an address belongs to the text around it.
    fn trim_ascii_end_of(&self, unwanted: &[u8]) -> &Self {
        let kept = self.iter().rposition(|b| !unwanted.contains(b)).map_or(0, |last| last + 1);
        &self[..kept]
    }
}
