//! Catches panics of loaders, so that they do not end the run.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// The message of the last panic while a loader runs on this thread; `None` while no loader runs.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls a loader. If it panics, returns the panic message with its source location.
///
/// The first call wraps the panic hook of the process, so that panics of loaders are not printed.
pub(super) fn catch_panic<T>(load: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let outer = take_hook();
        set_hook(Box::new(move |info| {
            let keep =
                |panic: &mut Option<String>| panic.as_mut().map(|text| *text = describe(info));
            if PANIC.with_borrow_mut(keep).is_none() {
                outer(info);
            }
        }));
    });
    PANIC.set(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(load));
    let panic = PANIC.take().unwrap_or_default();
    result.map_err(|_| panic)
}

fn describe(info: &PanicHookInfo) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("a value that is not text");
    match info.location() {
        Some(location) => format!("{message} ({}:{})", location.file(), location.line()),
        None => message.to_owned(),
    }
}
