// A call in a few words: what its arguments are about, with a path in the workspace shown from there on.
import type { Json } from "../../api/types";

const TELLING = ["command", "path", "paths", "source", "query", "pattern", "url", "name", "title", "text"];
/** Those of them that are a path and nothing else. */
const PATHS = new Set(["path", "paths", "source"]);
const LONGEST = 160;

export function gistOf(args: Json, workspace: string | null = null): string {
  if (args === null || typeof args !== "object") return short(args === null ? "" : String(args));
  if (Array.isArray(args)) return short(args.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", "));
  for (const key of TELLING) {
    const value = args[key];
    const shown = (text: string) => (PATHS.has(key) ? fromWorkspace(text, workspace) : text);
    if (typeof value === "string" && value !== "") return short(shown(value));
    if (Array.isArray(value) && value.length > 0) return gistOf(value.map((one) => (typeof one === "string" ? shown(one) : one)));
  }
  const first = Object.values(args).find((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : short(String(first));
}

function short(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** A path that lies in the workspace, from there on. Never for a text in which paths stand: it would cut others in two. */
export function fromWorkspace(path: string, workspace: string | null): string {
  if (workspace === null || workspace === "" || workspace === "/") return path;
  const inside = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : "";
  // What would read as a path from the root, or as nothing, stays whole.
  return inside === "" || inside.startsWith("/") ? path : inside;
}

/** A command's words as one line, in which it is seen where each word ends. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

/** The command of a call that runs one. */
export function commandIn(args: Json): string | null {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return null;
  return typeof args.command === "string" ? args.command : null;
}
