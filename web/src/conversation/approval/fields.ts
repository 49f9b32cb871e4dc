// Arguments as fields of a form: each is a text while it is written, and becomes what it was before when it is sent.
import type { Json } from "../../api/types";

export type Plain = string | number | boolean | null;
export type PlainFields = Record<string, Plain>;

/** A JSON number and nothing else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function isPlainObject(value: Json): value is PlainFields {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.values(value).every((field) => field === null || typeof field !== "object");
}

export function parseObject(text: string): Record<string, Json> | null {
  try {
    const value = JSON.parse(text) as Json;
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

export function writtenOf(fields: PlainFields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field === null ? "" : String(field)]));
}

/** What a text means in the place of this value; `undefined` where it means nothing there. */
export function readAs(before: Plain, text: string): Plain | undefined {
  // What was not touched stays what it is.
  if (text === (before === null ? "" : String(before))) return before;
  switch (typeof before) {
    case "number": {
      const number = Number(text.trim());
      const exact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
      return NUMBER.test(text.trim()) && exact ? number : undefined;
    }
    case "boolean":
      return text === "true";
    default:
      return text;
  }
}

export interface Read {
  value: Record<string, Json>;
  /** The fields whose text means nothing. */
  wrong: string[];
}

export function readFields(before: PlainFields, written: Readonly<Record<string, string>>): Read {
  const read: Read = { value: {}, wrong: [] };
  for (const [key, field] of Object.entries(before)) {
    const value = readAs(field, written[key] ?? "");
    if (value === undefined) read.wrong.push(key);
    else read.value[key] = value;
  }
  return read;
}
