//! Sheets of QR codes in Rust: COUNT images for a text, the same bytes as servers/node/qr-sheet.mjs.
//! The book uses it on the event loop's thread, on libuv's pool, and on threads of its own.
use base64::{engine::general_purpose::STANDARD, Engine};
use neon::types::extract::Error;
use qrcodegen::{Mask, QrCode, QrCodeEcc::Medium, QrSegment, Version};

const SCALE: usize = 3; // pixels a module
const MARGIN: usize = 4; // modules
const HEADER: usize = 62;

/// The mask of the eight whose picture is nearest to half dark; what "best" is, libraries disagree.
fn encode(text: &str) -> Result<QrCode, Error> {
    let bytes = [QrSegment::make_bytes(text.as_bytes())];
    let (least, most) = (Version::MIN, Version::MAX);
    let mut best: Option<(i32, QrCode)> = None;
    for mask in (0..8).map(|mask| Some(Mask::new(mask))) {
        let code = QrCode::encode_segments_advanced(&bytes, Medium, least, most, mask, false)?;
        let n = code.size();
        let dark = (0..n * n).filter(|&i| code.get_module(i % n, i / n)).count() as i32;
        let off = (2 * dark - n * n).abs();
        if best.as_ref().map_or(true, |(least, _)| off < *least) {
            best = Some((off, code));
        }
    }
    Ok(best.expect("eight were tried").1)
}

fn bitmap(text: &str) -> Result<Vec<u8>, Error> {
    let code = encode(text)?;
    let side = (code.size() as usize + 2 * MARGIN) * SCALE;
    let stride = side.div_ceil(32) * 4;
    let length = HEADER + stride * side;
    let sizes = [length as i32, 0, HEADER as i32, 40, side as i32, -(side as i32)];
    let header = sizes.iter().chain(&[0x10001, 0, 0, 2835, 2835, 2, 2, 0, 0xff_ffff]);
    let mut bmp = b"BM".to_vec();
    bmp.extend(header.flat_map(|word| word.to_le_bytes()));
    bmp.resize(length, 0xff);
    let module = |pixel: usize| (pixel / SCALE) as i32 - MARGIN as i32;
    for y in 0..side {
        for x in (0..side).filter(|&x| code.get_module(module(x), module(y))) {
            bmp[HEADER + y * stride + x / 8] &= !(0x80 >> (x % 8));
        }
    }
    Ok(bmp)
}

pub fn sheet(text: &str, count: f64) -> Result<String, Error> {
    let one = |i| bitmap(&format!("{text}#{i}")).map(|bmp| STANDARD.encode(bmp));
    (0..count as u32).map(|i| Ok(format!("data:image/bmp;base64,{}\n", one(i)?))).collect()
}
