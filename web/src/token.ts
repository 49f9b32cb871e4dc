// The token in the address: the server has set its cookie by the time the page runs, so it need not stay visible.

/** The address without its token; `null` if it has none. */
export function withoutToken(address: string): string | null {
  const url = new URL(address);
  if (!url.searchParams.has("token")) return null;
  url.searchParams.delete("token");
  return url.pathname + url.search + url.hash;
}

/** The token in what a person pasted: the token itself, or an address that has it. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim();
  const inside = /[?&]token=([^&#\s]+)/.exec(text)?.[1];
  return inside === undefined ? text : decodeURIComponent(inside);
}
