//! Two small futures: the first of two, and one that survives a panic.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Which of two futures was first.
#[derive(Debug)]
pub(crate) enum Either<A, B> {
    First(A),
    Second(B),
}

/// Waits for the first of two. Where both are ready, the first one counts, always.
pub(crate) async fn race<A: Future, B: Future>(first: A, second: B) -> Either<A::Output, B::Output> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|cx| {
        if let Poll::Ready(value) = first.as_mut().poll(cx) {
            return Poll::Ready(Either::First(value));
        }
        second.as_mut().poll(cx).map(Either::Second)
    })
    .await
}

/// A panic, caught.
#[derive(Debug)]
pub(crate) struct Caught;

/// Runs a future to its end, even if the end is a panic.
pub(crate) async fn caught<F: Future>(make: impl FnOnce() -> F) -> Result<F::Output, Caught> {
    let Ok(future) = catch_unwind(AssertUnwindSafe(make)) else {
        return Err(Caught);
    };
    let mut future = Box::pin(future);
    let outcome = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(_) => Poll::Ready(Err(Caught)),
    })
    .await;
    // A destructor may panic as well; the outcome is already known and must not be lost with it.
    let _ = catch_unwind(AssertUnwindSafe(move || drop(future)));
    outcome
}
