// A call in a few words: what its arguments are about, with paths shown from the workspace on.
import type { Json } from "../../api/types";

const TELLING = ["command", "path", "paths", "source", "query", "pattern", "url", "name", "title", "text"];
const LONGEST = 160;

export function gistOf(args: Json): string {
  if (args === null || typeof args !== "object") return short(args === null ? "" : String(args));
  if (Array.isArray(args)) return short(args.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", "));
  for (const key of TELLING) {
    const value = args[key];
    if (typeof value === "string" && value !== "") return short(value);
    if (Array.isArray(value) && value.length > 0) return gistOf(value);
  }
  const first = Object.values(args).find((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : short(String(first));
}

function short(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

export function fromWorkspace(text: string, workspace: string | null): string {
  if (workspace === null || workspace === "" || workspace === "/") return text;
  return text.replaceAll(`${workspace}/`, "");
}

/** The command of a call that runs one. */
export function commandIn(args: Json): string | null {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return null;
  return typeof args.command === "string" ? args.command : null;
}
