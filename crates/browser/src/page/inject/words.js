// Text of a page made fit for one line: white space folded, invisible characters out, cut with a mark.

// Controls, bidirectional overrides, zero-width characters and Unicode tags: they let a page hide or reorder what is
// read. The joiners (U+200C, U+200D) stay, since Persian and emoji need them.
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u{e0000}|[\u{e0001}-\u{e007f}]/gu;
const PLAIN = /^[!-Z\\-~]+(?: [!-Z\\-~]+)*$/u;
const BLANKS = /\s+/gu;

/** One line of text; what would look like a ref of ours is spoiled, so that a page cannot lend itself one. */
function fold(text) {
  // Most texts are plain already.
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, "").replace(BLANKS, " ").trim().replaceAll("[ref=", "[ref:");
}

/** Cuts to `max` UTF-16 units and never between the halves of a character. */
function cut(text, max) {
  if (text.length <= max) return text;
  let end = Math.max(0, max - 1);
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return text.slice(0, end) + "…";
}

const quote = (text) => '"' + text.replaceAll("\\", "\\\\").replaceAll('"', '\\"') + '"';

/** An address short enough for a line: its path when it is of this origin. */
function shortUrl(url, max = 120) {
  if (!url) return "";
  if (/^\s*javascript:/iu.test(url)) return "";
  if (/^\/(?!\/)/u.test(url) && plainBase()) return cut(fold(url), max);
  if (/^\s*data:/iu.test(url)) return cut(fold(url), 24);
  try {
    const full = new URL(url, document.baseURI);
    const shown = full.origin === location.origin && full.origin !== "null" ? full.pathname + full.search + full.hash : full.href;
    return cut(fold(shown), max);
  } catch {
    return cut(fold(url), max);
  }
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** A whole number from what Rust sent, within bounds. */
function whole(value, fallback, least, most) {
  const number = Number(value ?? fallback);
  return Number.isFinite(number) ? Math.min(most, Math.max(least, Math.trunc(number))) : fallback;
}
