// Checks a value before it is sent: all that is wrong at once, each with its path. The server has the last word.
import type { Json } from "../../api/types";
import { isFields, resolved, type Schema, see, typeOf } from "./schema";

export type Path = readonly (string | number)[];

export type Fault =
  | { code: "required" }
  | { code: "type"; expected: string }
  | { code: "options"; allowed: Json[] }
  | { code: "least" | "most" | "above" | "below" | "step" | "shortest" | "longest" | "fewest" | "many"; limit: number }
  | { code: "pattern"; pattern: string }
  | { code: "unknown" }
  | { code: "repeated" }
  | { code: "choice" };

export type Issue = Fault & { path: Path };

/** `edits[0].old_text` */
export function pathText(path: Path): string {
  return path.reduce<string>((text, piece) => {
    if (typeof piece === "number") return `${text}[${piece}]`;
    return text === "" ? piece : `${text}.${piece}`;
  }, "");
}

export function validate(value: unknown, data: Json, root: unknown, path: Path = []): Issue[] {
  const { kind, schema, nullable, options, branches } = see(value, root);
  if (data === null && (nullable || kind === "null" || kind === "any")) return [];
  const at = (fault: Fault, inside: Path = []): Issue => ({ ...fault, path: [...path, ...inside] });
  if (schema.not !== undefined && Object.keys(resolved(schema.not, root)).length === 0) return [at({ code: "unknown" })];
  switch (kind) {
    case "options":
      return options.some((option) => same(option.value, data))
        ? []
        : [at({ code: "options", allowed: options.map((option) => option.value) })];
    case "choice":
      return ofChoice(branches, data, root, path);
    case "any":
      return [];
    case "text":
      return typeof data === "string" ? ofText(schema, data).map((fault) => at(fault)) : [at(wrongType("string"))];
    case "number":
    case "integer":
      if (typeof data !== "number" || (kind === "integer" && !Number.isInteger(data))) return [at(wrongType(kind))];
      return ofNumber(schema, data).map((fault) => at(fault));
    case "boolean":
      return typeof data === "boolean" ? [] : [at(wrongType("boolean"))];
    case "null":
      return [at(wrongType("null"))];
    case "list":
      return Array.isArray(data) ? ofList(schema, data, root, path) : [at(wrongType("array"))];
    case "object":
    case "map":
      return isFields(data) ? ofFields(schema, data, root, path) : [at(wrongType("object"))];
  }
}

const wrongType = (expected: string): Fault => ({ code: "type", expected });

function ofText(schema: Schema, text: string): Fault[] {
  const faults: Fault[] = [];
  const length = Array.from(text).length;
  if (schema.minLength !== undefined && length < schema.minLength) {
    faults.push(length === 0 ? { code: "required" } : { code: "shortest", limit: schema.minLength });
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) faults.push({ code: "longest", limit: schema.maxLength });
  if (schema.pattern !== undefined && !fitsPattern(schema.pattern, text)) {
    faults.push({ code: "pattern", pattern: schema.pattern });
  }
  return faults;
}

function fitsPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // Written for another engine: the server checks it.
    return true;
  }
}

function ofNumber(schema: Schema, data: number): Fault[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const faults: Fault[] = [];
  if (minimum !== undefined && data < minimum) faults.push({ code: "least", limit: minimum });
  if (maximum !== undefined && data > maximum) faults.push({ code: "most", limit: maximum });
  if (exclusiveMinimum !== undefined && data <= exclusiveMinimum) faults.push({ code: "above", limit: exclusiveMinimum });
  if (exclusiveMaximum !== undefined && data >= exclusiveMaximum) faults.push({ code: "below", limit: exclusiveMaximum });
  if (multipleOf !== undefined && !isWhole(data / multipleOf)) faults.push({ code: "step", limit: multipleOf });
  return faults;
}

/** 0.3 / 0.1 is not quite 3. */
const isWhole = (ratio: number) => Math.abs(ratio - Math.round(ratio)) < 1e-9;

function ofList(schema: Schema, data: Json[], root: unknown, path: Path): Issue[] {
  const issues: Issue[] = [];
  if (schema.minItems !== undefined && data.length < schema.minItems) {
    issues.push({ code: "fewest", limit: schema.minItems, path });
  }
  if (schema.maxItems !== undefined && data.length > schema.maxItems) {
    issues.push({ code: "many", limit: schema.maxItems, path });
  }
  if (schema.uniqueItems && data.some((one, index) => data.slice(0, index).some((other) => same(one, other)))) {
    issues.push({ code: "repeated", path });
  }
  if (schema.items !== undefined) {
    data.forEach((item, index) => issues.push(...validate(schema.items, item, root, [...path, index])));
  }
  return issues;
}

function ofFields(schema: Schema, data: { [key: string]: Json }, root: unknown, path: Path): Issue[] {
  const issues: Issue[] = [];
  const required = new Set(schema.required);
  for (const name of required) {
    if (!Object.hasOwn(data, name)) issues.push({ code: "required", path: [...path, name] });
  }
  for (const [name, inside] of Object.entries(data)) {
    const here = [...path, name];
    const known = schema.properties;
    if (known !== undefined && Object.hasOwn(known, name)) {
      // The server takes `null` for a field that may be left out as leaving it out.
      if (inside === null && !required.has(name)) continue;
      issues.push(...validate(known[name], inside, root, here));
    } else if (schema.additionalProperties === false) {
      issues.push({ code: "unknown", path: here });
    } else if (schema.additionalProperties !== undefined) {
      issues.push(...validate(schema.additionalProperties, inside, root, here));
    }
  }
  return issues;
}

function ofChoice(branches: Schema[], data: Json, root: unknown, path: Path): Issue[] {
  const tried = branches.map((branch) => ({ branch, issues: validate(branch, data, root, path) }));
  if (tried.length === 0 || tried.some(({ issues }) => issues.length === 0)) return [];
  // Where only one branch has the right type, what is wrong in it says more than "none of these".
  const near = tried.filter(({ issues }) => !issues.some((issue) => isTop(issue, path)));
  const [only, ...more] = near;
  return only !== undefined && more.length === 0 ? only.issues : [{ code: "choice", path }];
}

const isTop = (issue: Issue, path: Path) =>
  issue.path.length === path.length && (issue.code === "type" || issue.code === "options");

/** The same JSON; the order of fields does not matter. */
export function same(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeOf(one) !== typeOf(other)) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => same(item, other[index] ?? null));
  }
  if (isFields(one) && isFields(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && same(one[name] ?? null, other[name] ?? null))
    );
  }
  return false;
}
