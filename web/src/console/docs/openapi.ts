// The OpenAPI document as the page reads it: operations by tag, with every reference followed.
import type { Json } from "../../api/types";
import { asSchema, pointed } from "../schema/schema";
import { blankOf } from "../schema/values";

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: unknown;
}

export interface Content {
  type: string;
  schema: unknown;
  example?: Json;
}

export interface Answer {
  status: string;
  description: string;
  content: Content[];
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  deprecated: boolean;
  parameters: Parameter[];
  body: Content[];
  bodyRequired: boolean;
  answers: Answer[];
}

export interface Tag {
  name: string;
  description: string;
  operations: Operation[];
}

export interface Document {
  title: string;
  version: string;
  description: string;
  tags: Tag[];
  /** For references. */
  root: unknown;
}

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === "string" ? value : "");

/** Parameters, bodies and answers may be references, too. */
function followed(value: unknown, root: unknown): Fields {
  let here = fields(value);
  for (let step = 0; step < 16 && typeof here.$ref === "string"; step += 1) here = fields(pointed(here.$ref, root));
  return here;
}

export function readDocument(root: unknown, other: string): Document {
  const document = fields(root);
  const info = fields(document.info);
  const tags = new Map<string, Tag>();
  for (const tag of list(document.tags).map(fields)) {
    tags.set(words(tag.name), { name: words(tag.name), description: words(tag.description), operations: [] });
  }
  for (const [path, value] of Object.entries(fields(document.paths))) {
    const item = followed(value, root);
    for (const method of METHODS) {
      if (item[method] === undefined) continue;
      const raw = fields(item[method]);
      const name = words(list(raw.tags)[0]) || other;
      const tag = tags.get(name) ?? { name, description: "", operations: [] };
      tags.set(name, tag);
      tag.operations.push(readOperation(method, path, item, raw, root));
    }
  }
  return {
    title: words(info.title),
    version: words(info.version),
    description: words(info.description) || words(info.summary),
    tags: [...tags.values()].filter((tag) => tag.operations.length > 0),
    root,
  };
}

function readOperation(method: string, path: string, item: Fields, raw: Fields, root: unknown): Operation {
  // What the operation says of a parameter wins over what its path says.
  const parameters = new Map<string, Parameter>();
  for (const one of [...list(item.parameters), ...list(raw.parameters)]) {
    const parameter = followed(one, root);
    const [content] = readContent(parameter.content, root);
    parameters.set(`${words(parameter.in)} ${words(parameter.name)}`, {
      name: words(parameter.name),
      in: words(parameter.in),
      required: parameter.required === true,
      description: words(parameter.description) || words(asSchema(parameter.schema).description),
      schema: parameter.schema ?? content?.schema ?? {},
    });
  }
  const body = followed(raw.requestBody, root);
  return {
    id: words(raw.operationId) || `${method}-${path}`,
    method: method.toUpperCase(),
    path,
    summary: words(raw.summary),
    description: words(raw.description),
    deprecated: raw.deprecated === true,
    parameters: [...parameters.values()],
    body: readContent(body.content, root),
    bodyRequired: body.required === true,
    answers: Object.entries(fields(raw.responses)).map(([status, value]) => {
      const answer = followed(value, root);
      return { status, description: words(answer.description), content: readContent(answer.content, root) };
    }),
  };
}

function readContent(value: unknown, root: unknown): Content[] {
  return Object.entries(fields(value)).map(([type, inside]) => {
    const media = followed(inside, root);
    return { type, schema: media.schema ?? {}, ...(media.example === undefined ? {} : { example: media.example as Json }) };
  });
}

/** A body to begin with: the example of the document, else the fields that must be there. */
export function firstBody(content: Content, root: unknown): Json {
  if (content.example !== undefined) return content.example;
  const { examples } = asSchema(content.schema);
  return examples?.[0] ?? blankOf(content.schema, root);
}

/** The address of an operation with these values. Query values that are empty are left out. */
export function addressOf(operation: Operation, values: Record<string, string>): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { in: where, name } of operation.parameters) {
    const value = values[name] ?? "";
    if (where === "query" && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

export function findOperations(tags: readonly Tag[], query: string): Tag[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...tags];
  return tags
    .map((tag) => ({
      ...tag,
      operations: tag.operations.filter((one) => {
        const where = `${one.method} ${one.path} ${one.summary} ${one.description} ${one.id} ${tag.name}`.toLowerCase();
        return wanted.every((word) => where.includes(word));
      }),
    }))
    .filter((tag) => tag.operations.length > 0);
}
