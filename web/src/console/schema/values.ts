// The values that a form starts with and changes. A form edits the JSON itself, so nothing is lost on the way to
// text and back: what the schema does not know stays where it is.
import type { Json } from "../../api/types";
import { asSchema, type Fields, isFields, type Schema, see, typeOf } from "./schema";
import { validate } from "./validate";

/** What a required field has before anyone has touched it; `undefined` where only a person can know. */
export function startOf(schema: unknown, root: unknown): Json | undefined {
  const { kind, schema: it, options, branches } = see(schema, root);
  if (it.default !== undefined) return it.default;
  if (it.const !== undefined) return it.const;
  switch (kind) {
    case "object": {
      const fields: Fields = {};
      for (const name of it.required ?? []) {
        const start = startOf(it.properties?.[name], root);
        if (start !== undefined) fields[name] = start;
      }
      return fields;
    }
    case "map":
      return {};
    case "list":
      return [];
    case "boolean":
      return false;
    case "null":
      return null;
    case "options":
      return options.length === 1 ? options[0]?.value : undefined;
    case "choice":
      return branches[0] === undefined ? undefined : startOf(branches[0], root);
    default:
      return undefined;
  }
}

/** A new item of a list, or a value of a kind that was chosen: always something. */
export function blankOf(schema: unknown, root: unknown): Json {
  const start = startOf(schema, root);
  if (start !== undefined) return start;
  const { kind, schema: it, options } = see(schema, root);
  if (kind === "number" || kind === "integer") return it.minimum ?? 0;
  if (kind === "options") return options[0]?.value ?? null;
  return kind === "any" ? null : "";
}

/** The object with this field set, or without it. The order of the others stays. */
export function withField(fields: Fields, name: string, value: Json | undefined): Fields {
  if (value !== undefined) return { ...fields, [name]: value };
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

/** The branch that a value belongs to: the first it fits, else the first of its type, else the first. */
export function branchOf(branches: readonly Schema[], value: Json | undefined, root: unknown): number {
  if (value === undefined) return 0;
  const fitting = branches.findIndex((branch) => validate(branch, value, root).length === 0);
  if (fitting >= 0) return fitting;
  const type = typeOf(value);
  const byType = branches.findIndex((branch) => {
    const { schema } = see(branch, root);
    return schema.type === type || (schema.type === "number" && type === "integer");
  });
  return Math.max(0, byType);
}

/** The value carried over to another branch, where that makes sense (one text to a list of it and back). */
export function carried(value: Json | undefined, branch: Schema, root: unknown): Json {
  const candidates: (Json | undefined)[] = [value, value === undefined ? undefined : [value]];
  if (Array.isArray(value)) candidates.push(value[0]);
  for (const candidate of candidates) {
    if (candidate !== undefined && validate(branch, candidate, root).length === 0) return candidate;
  }
  return blankOf(branch, root);
}

export type Parsed = { value: Fields } | { problem: string };

/** Reads the raw text of a call's arguments. Nothing at all means no arguments. */
export function readRaw(text: string): Parsed {
  if (text.trim() === "") return { value: {} };
  try {
    const value = JSON.parse(text) as Json;
    return isFields(value) ? { value } : { problem: "{ … }" };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

export function writeRaw(value: Json): string {
  return JSON.stringify(value, null, 2);
}

/** Names of the fields in the order of the form: required ones first, each group as the schema lists them. */
export function fieldOrder(schema: Schema): string[] {
  const names = Object.keys(schema.properties ?? {});
  const required = new Set(schema.required);
  return [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
}

/** Fields of a value that the schema does not name. */
export function extraFields(schema: Schema, value: Fields): string[] {
  const known = asSchema(schema).properties ?? {};
  return Object.keys(value).filter((name) => !Object.hasOwn(known, name));
}
