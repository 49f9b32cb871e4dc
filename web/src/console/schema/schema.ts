// JSON Schema as the form reads it: references followed, parts merged, `null` set aside.
import type { Json } from "../../api/types";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, unknown>;
  required?: string[];
  additionalProperties?: unknown;
  items?: unknown;
  enum?: Json[];
  const?: Json;
  default?: Json;
  examples?: Json[];
  anyOf?: unknown[];
  oneOf?: unknown[];
  allOf?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  /** Set for the schema `false`: nothing fits. */
  not?: unknown;
}

export type Kind =
  | "text"
  | "number"
  | "integer"
  | "boolean"
  | "options"
  | "list"
  | "object"
  | "map"
  | "choice"
  | "null"
  | "any";

export interface Option {
  value: Json;
  description?: string;
}

export interface Seen {
  kind: Kind;
  schema: Schema;
  nullable: boolean;
  /** For `options`. */
  options: Option[];
  /** For `choice`. */
  branches: Schema[];
}

/** Follows no more references than this in a row: one that leads to itself has no meaning. */
const MOST_REFERENCES = 32;

export function asSchema(value: unknown): Schema {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  return value === false ? { not: {} } : {};
}

/** What a reference such as `#/$defs/Thing` points to in this document; `undefined` where it points to nothing. */
export function pointed(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let here: unknown = root;
  for (const piece of reference.slice(1).split("/").slice(1)) {
    const key = decodePiece(piece);
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

function decodePiece(piece: string): string {
  const plain = piece.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** The schema without `$ref` and `allOf` at its top. What stands beside a reference wins over what it points to. */
export function resolved(value: unknown, root: unknown): Schema {
  let schema = asSchema(value);
  for (let step = 0; schema.$ref !== undefined; step += 1) {
    const { $ref, ...beside } = schema;
    if (step === MOST_REFERENCES) return beside;
    schema = { ...asSchema(pointed($ref, root)), ...beside };
  }
  if (schema.allOf === undefined) return schema;
  const { allOf, ...own } = schema;
  return allOf.map((part) => resolved(part, root)).reduceRight<Schema>((whole, part) => merged(part, whole), own);
}

/** Both at once; where both say something of one thing, `over` wins. */
function merged(under: Schema, over: Schema): Schema {
  const schema: Schema = { ...under, ...over };
  if (under.properties && over.properties) schema.properties = { ...under.properties, ...over.properties };
  if (under.required && over.required) schema.required = [...new Set([...under.required, ...over.required])];
  return schema;
}

function without(schema: Schema, keys: readonly (keyof Schema)[]): Schema {
  const left: Schema = { ...schema };
  for (const key of keys) Reflect.deleteProperty(left, key);
  return left;
}

const isNull = (schema: Schema) => schema.type === "null" || schema.const === null;

/** What kind of field a schema asks for. */
export function see(value: unknown, root: unknown): Seen {
  let schema = resolved(value, root);
  let nullable = false;
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    nullable = types.length < schema.type.length;
    const [only, ...more] = types;
    if (only === undefined) schema = { ...schema, type: "null" };
    else if (more.length === 0) schema = { ...schema, type: only };
    else {
      // The rules of each type stay with it; title and description belong to the whole.
      const rules = without(schema, ["title", "description", "default"]);
      return seen("choice", schema, nullable, [], types.map((type) => ({ ...rules, type })));
    }
  }
  if (schema.enum?.includes(null)) {
    nullable = true;
    schema = { ...schema, enum: schema.enum.filter((one) => one !== null) };
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    const all = alternatives.map((one) => resolved(one, root));
    const real = all.filter((one) => !isNull(one));
    const canBeNull = nullable || real.length < all.length;
    const beside = without(schema, ["anyOf", "oneOf"]);
    const [only, ...more] = real;
    if (only !== undefined && more.length === 0) {
      const inside = see(merged(only, beside), root);
      return { ...inside, nullable: inside.nullable || canBeNull };
    }
    const options = real.flatMap(optionsOf);
    if (real.length > 0 && real.every((one) => optionsOf(one).length > 0)) {
      return seen("options", beside, canBeNull, options, []);
    }
    return seen("choice", beside, canBeNull, [], real);
  }
  const options = optionsOf(schema);
  if (options.length > 0) return seen("options", schema, nullable, options, []);
  return seen(kindOf(schema), schema, nullable, [], []);
}

function seen(kind: Kind, schema: Schema, nullable: boolean, options: Option[], branches: Schema[]): Seen {
  return { kind, schema, nullable, options, branches };
}

function optionsOf(schema: Schema): Option[] {
  const beside = schema.description === undefined ? {} : { description: schema.description };
  if (schema.const !== undefined) return [{ value: schema.const, ...beside }];
  return schema.enum?.map((value) => ({ value })) ?? [];
}

function kindOf(schema: Schema): Kind {
  switch (schema.type) {
    case "string":
      return "text";
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return schema.type;
    case "array":
      return "list";
    case "object":
      return objectKind(schema);
    default:
      return schema.properties ? "object" : "any";
  }
}

function objectKind(schema: Schema): Kind {
  const named = Object.keys(schema.properties ?? {}).length > 0;
  return named || schema.additionalProperties === false ? "object" : "map";
}

/** What kind of value it is, as JSON Schema names it. */
export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

export type Fields = { [key: string]: Json };

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
