//! What the command says: passed on as it comes, and kept up to a limit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// How much of each stream is kept, in bytes: the last of it.
pub const KEEP: usize = 1024 * 1024;

/// One stream as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// How much there was, in bytes.
    pub bytes: u64,
    /// Whether all of it is here.
    pub complete: bool,
    /// What is kept, where it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What is kept, where it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

impl Stream {
    fn of(bytes: u64, kept: Vec<u8>) -> Self {
        let complete = bytes == kept.len() as u64;
        match String::from_utf8(kept) {
            Ok(text) => Self { bytes, complete, text: Some(text), base64: None },
            Err(error) => {
                let base64 = Some(STANDARD.encode(error.as_bytes()));
                Self { bytes, complete, text: None, base64 }
            }
        }
    }

    /// The bytes that are kept.
    pub fn kept(&self) -> Vec<u8> {
        match (&self.text, &self.base64) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64).unwrap_or_default(),
            (None, None) => Vec::new(),
        }
    }
}

#[derive(Debug, Default)]
struct Tail {
    bytes: u64,
    kept: VecDeque<u8>,
}

impl Tail {
    fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        let chunk = &chunk[chunk.len().saturating_sub(KEEP)..];
        let surplus = (self.kept.len() + chunk.len()).saturating_sub(KEEP);
        self.kept.drain(..surplus);
        self.kept.extend(chunk);
    }
}

/// A stream that is being read.
#[derive(Debug)]
pub struct Recording {
    tail: Arc<Mutex<Tail>>,
    ended: oneshot::Receiver<()>,
}

impl Recording {
    /// Reads on a thread of its own until the end. `echo` gets every chunk at once; when it fails, only the
    /// passing on stops, never the command.
    pub fn start(mut from: impl Read + Send + 'static, mut echo: Option<Box<dyn Write + Send>>) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let (done, ended) = oneshot::channel();
        let shared = tail.clone();
        let read = move || {
            let mut chunk = vec![0; 64 * 1024];
            loop {
                let length = match from.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(length) => length,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                shared.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..length]);
                let failed = echo
                    .as_mut()
                    .is_some_and(|to| to.write_all(&chunk[..length]).and_then(|()| to.flush()).is_err());
                if failed {
                    echo = None;
                }
            }
            let _ = done.send(());
        };
        // Without a thread the stream is recorded as empty and incomplete, which is what is known of it.
        let _ = std::thread::Builder::new().name("sluice-output".to_owned()).spawn(read);
        Self { tail, ended }
    }

    /// Waits for the end of the stream; a process that left the command behind may hold it open for ever, so the
    /// caller bounds this.
    pub async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }

    /// What was read so far.
    pub fn stream(&self) -> Stream {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        Stream::of(tail.bytes, tail.kept.iter().copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_mebibyte_is_kept_and_all_of_it_is_counted() {
        let mut tail = Tail::default();
        tail.push(&vec![b'a'; KEEP - 1]);
        tail.push(b"bcd");
        assert_eq!((tail.bytes, tail.kept.len()), (KEEP as u64 + 2, KEEP));
        assert_eq!(tail.kept.iter().rev().take(3).copied().collect::<Vec<_>>(), b"dcb");
        tail.push(&vec![b'z'; 3 * KEEP]);
        assert!(tail.kept.len() == KEEP && tail.kept.iter().all(|byte| *byte == b'z'));
    }

    #[test]
    fn odd_bytes_come_back_as_they_were() {
        for bytes in [&b"plain \0 text\n"[..], &[0xff, 0xfe, 0, b'\n'], b""] {
            let stream = Stream::of(bytes.len() as u64, bytes.to_vec());
            let text = serde_json::to_string(&stream).unwrap();
            let back: Stream = serde_json::from_str(&text).unwrap();
            assert!(back.complete);
            assert_eq!(back.kept(), bytes);
        }
    }
}
