//! Many futures in one task, each polled in turn.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

enum Slot<F: Future> {
    Running(Pin<Box<F>>),
    Ended(F::Output),
}

/// Runs the futures to their ends, interleaved wherever one of them waits; answers in their order.
pub(super) async fn at_once<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut slots: Vec<_> = futures.into_iter().map(|future| Slot::Running(Box::pin(future))).collect();
    poll_fn(|context| poll_each(&mut slots, context)).await;
    slots.into_iter().filter_map(Slot::ended).collect()
}

fn poll_each<F: Future>(slots: &mut [Slot<F>], context: &mut Context<'_>) -> Poll<()> {
    let mut all = Poll::Ready(());
    for slot in slots {
        if let Slot::Running(future) = slot {
            match future.as_mut().poll(context) {
                Poll::Ready(output) => *slot = Slot::Ended(output),
                Poll::Pending => all = Poll::Pending,
            }
        }
    }
    all
}

impl<F: Future> Slot<F> {
    fn ended(self) -> Option<F::Output> {
        match self {
            Self::Running(_) => None,
            Self::Ended(output) => Some(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;
    use std::cell::RefCell;

    #[test]
    fn each_gets_its_turn_before_one_gets_another() {
        let turns = RefCell::new(Vec::new());
        let turns = &turns;
        let one = |name: u32| async move {
            for turn in 0..3 {
                turns.borrow_mut().push((turn, name));
                yield_once().await;
            }
            name
        };
        assert_eq!(block_on(at_once([one(1), one(2), one(3)])), [1, 2, 3]);
        assert!(turns.borrow().is_sorted(), "{:?}", turns.borrow());
        assert_eq!(turns.borrow().len(), 9);
    }

    async fn yield_once() {
        let mut yielded = false;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if std::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
