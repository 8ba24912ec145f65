//! How is a place in a value shown to a person?

/// A name longer than this many characters is cut: an error must stay readable, and small, whatever was sent.
const SHOWN_CHARS: usize = 64;

/// Returns `/name`, escaped as RFC 6901 says and safe to print.
pub(super) fn segment(name: &str) -> String {
    let escaped = shown(name).replace('~', "~0").replace('/', "~1");
    format!("/{escaped}")
}

/// Returns a path with every name in it safe to print.
pub(super) fn presentable(path: &str) -> String {
    path.split('/').map(shown).collect::<Vec<_>>().join("/")
}

fn shown(name: &str) -> String {
    let mut text = String::new();
    for (count, c) in name.chars().enumerate() {
        if count == SHOWN_CHARS {
            text.push('…');
            break;
        }
        push_shown(&mut text, c);
    }
    text
}

fn push_shown(text: &mut String, c: char) {
    if c.is_control() || reorders_or_breaks_lines(c) {
        text.extend(["\\u", &format!("{:04x}", u32::from(c))]);
    } else {
        text.push(c);
    }
}

/// Characters that no terminal prints as themselves and that can make a message read differently.
fn reorders_or_breaks_lines(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_and_says_so() {
        assert_eq!(segment(&"a".repeat(64)), format!("/{}", "a".repeat(64)));
        assert_eq!(segment(&"a".repeat(65)), format!("/{}…", "a".repeat(64)));
    }

    #[test]
    fn a_name_cannot_move_the_cursor_or_look_like_two_names() {
        assert_eq!(segment("a\u{1b}[2J/b~"), "/a\\u001b[2J~1b~0");
        assert_eq!(segment("\u{202e}x"), "/\\u202ex");
    }
}
