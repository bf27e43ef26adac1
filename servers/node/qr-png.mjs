// One QR code as the published service draws it: `qrcode` with its defaults, a PNG as a data URL.
// The book uses it on the main thread, and in a pool of Workers.
import QRCode from "qrcode";

export const png = (text) => QRCode.toDataURL(text);
