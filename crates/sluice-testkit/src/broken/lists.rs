//! Mistakes in lists.

use super::Fault;
use crate::block_on;
use sluice_core::lease::LeaseView;
use sluice_core::record::Snapshot;
use sluice_core::store::{Page, Query, Store, StoreError};
use std::cmp::Reverse;
use std::time::Duration;

/// A page as such a store gives it, its records still named as the store under it names them.
pub(super) fn page(fault: Fault, inner: &dyn Store, asked: &Query) -> Result<Page, StoreError> {
    let later = asked.after.is_some();
    let query = query(fault, asked.clone());
    if fault == Fault::PagesByOffset {
        return by_offset(inner, &query);
    }
    let mut page = match block_on(inner.list(query.clone())) {
        Err(_) if fault == Fault::BadPlaceIsFirstPage => {
            block_on(inner.list(Query { after: None, ..query }))?
        }
        answer => answer?,
    };
    match fault {
        Fault::SkipsAtBorder if later && !page.items.is_empty() => drop(page.items.remove(0)),
        Fault::RepeatsAtBorder if later && !page.items.is_empty() => {
            page.items.insert(0, page.items[0].clone());
        }
        Fault::OldestFirst => page.items.reverse(),
        Fault::OrdersByChange => page.items.sort_by_key(|item| Reverse(item.record.updated)),
        Fault::ListsStaleLease => {
            for item in &mut page.items {
                item.lease = LeaseView::Ended(Duration::ZERO);
            }
        }
        _ => {}
    }
    Ok(page)
}

fn query(fault: Fault, mut query: Query) -> Query {
    match fault {
        Fault::PagesOfTen => query.limit = 10,
        Fault::IgnoresNamespaceFilter => query.namespace = None,
        Fault::IgnoresStatusFilter => query.statuses.clear(),
        Fault::IgnoresToolFilter => query.tool = None,
        Fault::IgnoresPrefixFilter => query.key_prefix = None,
        Fault::IgnoresWithinFilter => query.within = None,
        Fault::IgnoresFlag => query.flagged = None,
        // What an unescaped LIKE does, as far as the good store under it can show it.
        Fault::PrefixIsPattern => {
            if let Some(prefix) = &mut query.key_prefix {
                prefix.truncate(prefix.find(['%', '_']).unwrap_or(prefix.len()));
            }
        }
        _ => {}
    }
    query
}

fn by_offset(inner: &dyn Store, query: &Query) -> Result<Page, StoreError> {
    let skip: usize = query.after.as_ref().map_or(Ok(0), |place| place.parse()).unwrap_or(0);
    let all = block_on(inner.list(Query { after: None, limit: 1_000, ..query.clone() }))?;
    let items: Vec<Snapshot> = all.items.into_iter().skip(skip).take(query.page()).collect();
    let next = (items.len() == query.page()).then(|| (skip + items.len()).to_string());
    Ok(Page { items, next })
}
