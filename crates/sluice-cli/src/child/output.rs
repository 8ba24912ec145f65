//! What the command says: passed on as it comes, and kept up to a limit.

use super::echo::Echo;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
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
    /// A stream of which all is known.
    pub fn whole(kept: Vec<u8>) -> Self {
        Self::of(kept.len() as u64, kept)
    }

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
    echo: Option<Arc<Echo>>,
    ended: oneshot::Receiver<()>,
    passed_on: Option<oneshot::Receiver<()>>,
    at_end: bool,
}

impl Recording {
    /// Reads on a thread of its own until the end. `to` gets every chunk on another one, so that a slow reader of ours
    /// never keeps the last words of the command from being recorded.
    pub fn start(
        from: impl Read + Send + 'static,
        to: Option<Box<dyn Write + Send>>,
    ) -> std::io::Result<Self> {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let (echo, passed_on) = match to {
            Some(to) => {
                let (echo, passed_on) = Echo::start(to)?;
                (Some(echo), Some(passed_on))
            }
            None => (None, None),
        };
        let (done, ended) = oneshot::channel();
        let (into, pass) = (tail.clone(), echo.clone());
        std::thread::Builder::new().name("sluice-output".to_owned()).spawn(move || {
            read(from, &into, pass.as_deref());
            let _ = done.send(());
        })?;
        Ok(Self { tail, echo, ended, passed_on, at_end: false })
    }

    /// To be told when the command has ended: from then on nothing holds the reading up.
    pub fn command_ended(&self) {
        if let Some(echo) = &self.echo {
            echo.stop_holding_up();
        }
    }

    /// Waits for the end of the stream; a process that left the command behind may hold it open for ever, so the
    /// caller bounds this.
    pub async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
        self.at_end = true;
    }

    /// What was read. Without its end it is whole only if nothing more arrives within `calm`.
    pub async fn stream(&self, calm: Duration) -> Stream {
        let before = self.tail().bytes;
        if !self.at_end {
            tokio::time::sleep(calm).await;
        }
        let tail = self.tail();
        let mut stream = Stream::of(tail.bytes, tail.kept.iter().copied().collect());
        stream.complete &= self.at_end || tail.bytes == before;
        stream
    }

    /// Waits until everything that was read is passed on, or nobody reads it any more.
    pub async fn passed_on(&mut self) {
        if let (Some(echo), Some(passed_on)) = (&self.echo, &mut self.passed_on) {
            echo.close();
            let _ = passed_on.await;
        }
    }

    fn tail(&self) -> std::sync::MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(mut from: impl Read, tail: &Mutex<Tail>, echo: Option<&Echo>) {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..length]);
        if let Some(echo) = echo {
            echo.push(chunk[..length].to_vec());
        }
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
