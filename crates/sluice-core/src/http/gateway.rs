//! Did something on the way to the target make this answer?

use super::answer::Answer;

/// Names of gateways as `Server` gives them.
const GATEWAYS: [&str; 14] = [
    "akamai",
    "awselb",
    "caddy",
    "cloudflare",
    "cloudfront",
    "envoy",
    "gws",
    "haproxy",
    "kong",
    "nginx",
    "openresty",
    "squid",
    "traefik",
    "varnish",
];
/// Headers that only gateways add.
const MARKS: [&str; 6] = ["via", "cf-ray", "x-amz-cf-id", "x-varnish", "x-squid-error", "x-azure-ref"];

/// Whether the answer looks made by a gateway and not by the target.
///
/// A gateway says so itself with an error in `Proxy-Status` (RFC 9209), or with `cf-mitigated`. Otherwise it takes two
/// signs: a page where the target answers in JSON, *and* the mark of a gateway. One alone says nothing, since most
/// answers of targets pass a gateway and have its mark, and some targets answer with pages of their own.
pub(super) fn made_it(answer: &Answer<'_>, answers_in_json: bool) -> bool {
    says_so(answer) || answers_in_json && is_page(answer) && is_marked(answer)
}

fn says_so(answer: &Answer<'_>) -> bool {
    answer.header("proxy-status").any(|value| has(value, "error="))
        || answer.header("cf-mitigated").next().is_some()
}

fn is_page(answer: &Answer<'_>) -> bool {
    answer.header("content-type").any(|value| has(value, "text/html") || has(value, "application/xhtml"))
}

fn is_marked(answer: &Answer<'_>) -> bool {
    let is_gateway = |value: &[u8]| GATEWAYS.iter().any(|name| has(value, name));
    answer.header("server").any(is_gateway) || MARKS.iter().any(|mark| answer.header(mark).next().is_some())
}

/// Whether a value has the text in it, in upper or lower case.
fn has(value: &[u8], text: &str) -> bool {
    value.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}
