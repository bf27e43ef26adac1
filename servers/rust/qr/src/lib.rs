//! The addon: the same sheet of QR codes made in three places, for servers/node/qr-rust.mjs.
//! The book uses it to tell the language from the thread.
mod published;
mod sheet;

use neon::{prelude::*, types::extract::Error};
use sheet::sheet;

/// Makes the sheet at once, on the thread that called: the event loop's.
#[neon::export]
fn on_the_loop(text: String, count: f64) -> Result<String, Error> {
    sheet(&text, count)
}

/// Makes it on libuv's pool; JavaScript gets a promise.
#[neon::export(task)]
fn in_the_pool(text: String, count: f64) -> Result<String, Error> {
    sheet(&text, count)
}

/// Makes it on a new thread of the operating system, as the published addon did.
#[neon::export]
fn in_a_thread<'cx>(
    cx: &mut FunctionContext<'cx>,
    text: String,
    count: f64,
) -> JsResult<'cx, JsPromise> {
    a_thread_for(cx, move || sheet(&text, count))
}

fn a_thread_for<'cx>(
    cx: &mut FunctionContext<'cx>,
    make: impl FnOnce() -> Result<String, Error> + Send + 'static,
) -> JsResult<'cx, JsPromise> {
    let (deferred, promise) = cx.promise();
    let channel = cx.channel();
    std::thread::spawn(move || {
        let made = make();
        deferred.settle_with(&channel, move |mut cx| match made {
            Ok(text) => Ok(cx.string(text)),
            Err(_) => cx.throw_error("this text does not fit into a QR code"),
        });
    });
    Ok(promise)
}

/// Makes one code on a new thread: the published service, for servers/node/qr-express-rust.mjs.
#[neon::export]
fn published<'cx>(cx: &mut FunctionContext<'cx>, text: String) -> JsResult<'cx, JsPromise> {
    a_thread_for(cx, move || published::code(&text))
}
