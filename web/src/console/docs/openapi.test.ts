import { expect, test } from "vitest";

import { addressOf, findOperations, firstBody, readDocument } from "./openapi";

const document = readDocument(
  {
    info: { title: "T", version: "1", summary: "S" },
    tags: [{ name: "things", description: "Things." }, { name: "empty" }],
    paths: {
      "/things/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        get: {
          operationId: "getThing",
          tags: ["things"],
          summary: "One thing",
          parameters: [{ $ref: "#/components/parameters/deep" }],
          responses: { "200": { $ref: "#/components/responses/thing" }, default: { description: "Failed" } },
        },
        put: {
          tags: ["things"],
          requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
          responses: {},
        },
      },
      "/loose": { get: { responses: {} } },
    },
    components: {
      parameters: { deep: { name: "deep", in: "query", schema: { type: "boolean", description: "All of it" } } },
      responses: {
        thing: { description: "It", content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
      },
      schemas: {
        Thing: {
          type: "object",
          required: ["kind", "inner"],
          properties: { kind: { const: "x" }, inner: { $ref: "#/components/schemas/Inner" }, note: { type: "string" } },
        },
        Inner: { type: "object", required: ["n"], properties: { n: { type: "integer", default: 3 } } },
      },
    },
  },
  "Other",
);

test("operations stand under their tags; a tag without any is left out", () => {
  expect(document.tags.map((tag) => [tag.name, tag.operations.map((one) => `${one.method} ${one.path}`)])).toEqual([
    ["things", ["GET /things/{id}", "PUT /things/{id}"]],
    ["Other", ["GET /loose"]],
  ]);
});

test("references of parameters and answers are followed, those of the path included", () => {
  const get = document.tags[0]?.operations[0];
  expect(get?.parameters).toMatchObject([
    { name: "id", in: "path", required: true },
    { name: "deep", in: "query", required: false, description: "All of it" },
  ]);
  expect(get?.answers).toMatchObject([
    { status: "200", description: "It", content: [{ type: "application/json" }] },
    { status: "default", description: "Failed", content: [] },
  ]);
});

test("a first body has what must be there, through references", () => {
  const put = document.tags[0]?.operations[1];
  const content = put?.body[0];
  expect(content && firstBody(content, document.root)).toEqual({ kind: "x", inner: { n: 3 } });
});

test("an address is filled in and escaped; empty query values are left out", () => {
  const get = document.tags[0]?.operations[0];
  expect(get && addressOf(get, { id: "a/b 文", deep: "" })).toBe("/things/a%2Fb%20%E6%96%87");
  expect(get && addressOf(get, { id: "a", deep: "true" })).toBe("/things/a?deep=true");
});

test("the search looks at path and purpose", () => {
  expect(findOperations(document.tags, "one thing").flatMap((tag) => tag.operations).map((one) => one.id)).toEqual(["getThing"]);
  expect(findOperations(document.tags, "PUT")).toHaveLength(1);
  expect(findOperations(document.tags, "nowhere")).toEqual([]);
});
