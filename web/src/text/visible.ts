// Characters that nobody sees, or that turn the order of others around, made visible: what is shown is what is there.
// For showing only: what is edited, copied or sent stays as it is.

/** Controls but line ends and tabs; marks of direction; what has no width; tags. */
const UNSEEN = "\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u00AD\\u061C\\u180E\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\u{E0000}-\\u{E007F}";
const ANY = new RegExp(`[${UNSEEN}]`, "u");
const EVERY = new RegExp(`[${UNSEEN}]`, "gu");

export function hasUnseen(text: string): boolean {
  return ANY.test(text);
}

export function visible(text: string): string {
  return hasUnseen(text) ? text.replace(EVERY, named) : text;
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
