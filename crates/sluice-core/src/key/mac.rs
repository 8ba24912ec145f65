//! How is a text keyed with a secret?

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::secret::Secret;

/// Returns HMAC-SHA256 over the pieces, one after the other.
///
/// The secret is filled up with zeros to the block of the hash, as HMAC itself does with shorter ones; a key of
/// exactly one block cannot be refused, so there is no error to invent an answer for.
pub(super) fn hmac_sha256(secret: &Secret, pieces: &[&[u8]]) -> [u8; 32] {
    let mut block = [0; 64];
    block[..32].copy_from_slice(&secret.bytes);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for piece in pieces {
        mac.update(piece);
    }
    mac.finalize().into_bytes().into()
}
