//! How a lone caller hears of its commit without being put to sleep for it.

use futures_channel::oneshot::{Canceled, Receiver};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::thread::yield_now;

/// About a millisecond: longer than a fast disk needs for a commit, and no more than that on a slow one.
const LOOKS: u32 = 1500;

/// Lets one caller at a time look again and again instead of sleeping.
///
/// Waking a thread that sleeps can take as long as a quarter of a commit, on both sides. Between two looks every
/// other task of the caller's executor and every other thread has its turn; only time that would be idle is spent.
/// With many callers the commits are shared and the wake-ups with them, so that one looker is enough.
#[derive(Debug, Default)]
pub(crate) struct Watch(AtomicBool);

struct Place<'a>(&'a AtomicBool);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Watch {
    /// Waits for an answer.
    pub(crate) async fn hear<T>(&self, mut answer: Receiver<T>) -> Result<T, Canceled> {
        let mut place = (!self.0.swap(true, Ordering::AcqRel)).then(|| Place(&self.0));
        let mut looks = 0;
        poll_fn(|cx| {
            if let Poll::Ready(heard) = Pin::new(&mut answer).poll(cx) {
                return Poll::Ready(heard);
            }
            looks += 1;
            if looks > LOOKS {
                place = None;
            }
            if place.is_some() {
                yield_now();
                cx.waker().wake_by_ref();
            }
            Poll::Pending
        })
        .await
    }
}
