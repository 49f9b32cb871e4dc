// What may leave a text and become an address, and what its characters mean.

const LINKS = new Set(["http:", "https:", "mailto:"]);

/** The address of a link that may be followed; `null` where it stays a text. */
export function safeLink(address: string): string | null {
  const text = decodeEntities(address).trim();
  // Without a scheme it would lead into this page.
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return null;
  try {
    const url = new URL(text);
    return LINKS.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The address of a picture that may be shown: in the text itself, made here, or from this server. */
export function safeImage(address: string, origin = window.location.origin): string | null {
  const text = decodeEntities(address).trim();
  if (/^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]/i.test(text)) return text;
  try {
    const url = new URL(text, `${origin}/`);
    if (url.protocol === "blob:") return url.origin === origin ? url.href : null;
    return url.origin === origin && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
  } catch {
    return null;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…",
  mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", bull: "•",
  middot: "·", times: "×", divide: "÷", plusmn: "±", deg: "°", larr: "←", rarr: "→", uarr: "↑", darr: "↓",
  euro: "€", pound: "£", yen: "¥", sect: "§", para: "¶", le: "≤", ge: "≥", ne: "≠", infin: "∞", check: "✓",
};

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, ten?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = ten === undefined ? parseInt(hex ?? "", 16) : Number(ten);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}

export type Piece = { kind: "text"; text: string } | { kind: "file"; id: string };

/** `[file_ref:ID]` stands for an upload. */
export function withFileRefs(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(/\[file_ref:([0-9A-Za-z_-]{1,80})\]/g)) {
    if (found.index > from) pieces.push({ kind: "text", text: text.slice(from, found.index) });
    pieces.push({ kind: "file", id: found[1] ?? "" });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}
