//! How is a text keyed with a secret?

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::secret::Secret;

/// Returns HMAC-SHA256 over the pieces, one after the other.
pub(super) fn hmac_sha256(secret: &Secret, pieces: &[&[u8]]) -> [u8; 32] {
    keyed_hash(&secret.bytes, pieces)
}

/// Returns HMAC-SHA256 under a key of any length, as RFC 2104 says: a longer one than a block of the hash is hashed first,
/// and the rest of the block is zeros. A key of exactly one block cannot be refused, so there is no error to invent an
/// answer for.
pub(crate) fn keyed_hash(key: &[u8], pieces: &[&[u8]]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for piece in pieces {
        mac.update(piece);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second and the sixth case of RFC 4231.
    #[test]
    fn short_and_long_keys_give_the_hashes_of_the_standard() {
        let short = keyed_hash(b"Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(
            crate::key::lower_hex(&short),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let long = keyed_hash(&[0xaa; 131], &[b"Test Using Larger Than Block-Size Key - Hash Key First"]);
        assert_eq!(
            crate::key::lower_hex(&long),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }
}
