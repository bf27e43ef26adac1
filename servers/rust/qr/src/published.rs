//! One QR code as the published addon made it: a PNG in base64, one byte a pixel, at most 128 pixels a side.
//! The book uses it for the service that the source measured; the sheets beside it are its own.
use base64::{engine::general_purpose::STANDARD, Engine};
use image::{codecs::png::PngEncoder, ExtendedColorType, ImageEncoder, Luma};
use neon::types::extract::Error;
use qrcode::QrCode;

pub fn code(text: &str) -> Result<String, Error> {
    let picture = QrCode::new(text)?.render::<Luma<u8>>().max_dimensions(128, 128).build();
    let (width, height) = picture.dimensions();
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(&picture, width, height, ExtendedColorType::L8)?;
    Ok(STANDARD.encode(png))
}
