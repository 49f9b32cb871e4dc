import { expect, test } from "vitest";

import type { Json } from "../../api/types";
import { pointed, resolved, see } from "./schema";
import { blankOf, branchOf, carried, extraFields, fieldOrder, readRaw, startOf, withField, writeRaw } from "./values";
import { pathText, same, validate } from "./validate";

const edit = {
  type: "object",
  additionalProperties: false,
  required: ["path", "mode", "deep"],
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
    path: { type: "string", minLength: 1 },
    mode: { enum: ["overwrite", "append"], default: "append" },
    deep: { type: "boolean" },
    glob: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, { type: "null" }] },
    edits: {
      type: "array",
      maxItems: 2,
      items: {
        type: "object",
        required: ["old_text"],
        properties: { old_text: { type: "string" }, replace_all: { type: "boolean", default: false } },
      },
    },
  },
};

test("a form starts with the defaults of what is required and leaves the rest out", () => {
  expect(startOf(edit, edit)).toEqual({ mode: "append", deep: false });
});

test("required fields come first", () => {
  expect(fieldOrder(edit)).toEqual(["path", "mode", "deep", "limit", "glob", "edits"]);
});

test.each<[string, unknown, string, boolean]>([
  ["a text", { type: "string" }, "text", false],
  ["a type that may be null", { type: ["integer", "null"] }, "integer", true],
  ["one of something or null", { anyOf: [{ type: "string" }, { type: "null" }] }, "text", true],
  ["the same by oneOf", { oneOf: [{ type: "null" }, { type: "array", items: {} }] }, "list", true],
  ["options with null", { enum: ["a", null] }, "options", true],
  ["documented options", { oneOf: [{ const: "a", description: "A" }, { const: "b" }] }, "options", false],
  ["real alternatives", { anyOf: [{ type: "string" }, { type: "boolean" }] }, "choice", false],
  ["two types", { type: ["string", "integer"] }, "choice", false],
  ["named fields", { type: "object", properties: { a: {} } }, "object", false],
  ["no named fields", { type: "object", additionalProperties: { type: "string" } }, "map", false],
  ["anything", true, "any", false],
  ["nothing but null", { type: "null" }, "null", false],
])("%s", (_, schema, kind, nullable) => {
  expect(see(schema, schema)).toMatchObject({ kind, nullable });
});

test("what stands beside a union with null belongs to the field", () => {
  const { schema } = see({ description: "Name", anyOf: [{ type: "string", minLength: 2 }, { type: "null" }] }, {});
  expect(schema).toMatchObject({ description: "Name", minLength: 2, type: "string" });
});

test("the words of documented options stay with them", () => {
  expect(see({ oneOf: [{ const: "a", description: "A" }, { enum: ["b", "c"] }] }, {}).options).toEqual([
    { value: "a", description: "A" },
    { value: "b" },
    { value: "c" },
  ]);
});

test("references are followed, also through names that are escaped, and end where they lead to themselves", () => {
  const root = {
    $defs: {
      "a/b~c": { type: "string", description: "far" },
      "with space": { $ref: "#/$defs/a~1b~0c" },
      loop: { $ref: "#/$defs/loop" },
    },
  };
  expect(pointed("#/$defs/a~1b~0c", root)).toEqual({ type: "string", description: "far" });
  expect(resolved({ $ref: "#/$defs/with%20space", description: "near" }, root)).toEqual({ type: "string", description: "near" });
  expect(resolved({ $ref: "#/$defs/loop" }, root)).toEqual({});
  expect(pointed("#/$defs/missing", root)).toBeUndefined();
  expect(pointed("https://elsewhere.example/schema", root)).toBeUndefined();
  expect(pointed("#/$defs/toString", root)).toBeUndefined();
});

test("parts of allOf are one object", () => {
  const root = { $defs: { named: { type: "object", required: ["id"], properties: { id: { type: "string" } } } } };
  const whole = resolved({ allOf: [{ $ref: "#/$defs/named" }, { required: ["size"], properties: { size: { type: "integer" } } }] }, root);
  expect(Object.keys(whole.properties ?? {}).sort()).toEqual(["id", "size"]);
  expect(whole.required?.toSorted()).toEqual(["id", "size"]);
  expect(whole.type).toBe("object");
});

const good = { path: "a", mode: "append", deep: true };

test.each<[string, Json, string[]]>([
  ["all well", good, []],
  ["what is missing", { mode: "append" }, ["path required", "deep required"]],
  ["an empty text that must not be", { ...good, path: "" }, ["path required"]],
  ["a wrong option", { ...good, mode: "x" }, ["mode options"]],
  ["too small, too large, no integer", { ...good, limit: 0 }, ["limit least"]],
  ["too large", { ...good, limit: 11 }, ["limit most"]],
  ["no integer", { ...good, limit: 1.5 }, ["limit type"]],
  ["a field that nobody knows", { ...good, paht: 1 }, ["paht unknown"]],
  ["null where it is allowed", { ...good, glob: null }, []],
  ["null for a field that may be left out", { ...good, limit: null }, []],
  ["null for one that may not", { ...good, path: null }, ["path type"]],
  ["no branch fits", { ...good, glob: 7 }, ["glob choice"]],
  ["one branch nearly fits", { ...good, glob: ["a", 7] }, ["glob[1] type"]],
  ["inside a list", { ...good, edits: [{ old_text: "a" }, { replace_all: 1 }] }, ["edits[1].old_text required", "edits[1].replace_all type"]],
  ["too many", { ...good, edits: [{ old_text: "" }, { old_text: "" }, { old_text: "" }] }, ["edits many"]],
  ["no object", [], [" type"]],
])("%s", (_, value, wanted) => {
  expect(validate(edit, value, edit).map((issue) => `${pathText(issue.path)} ${issue.code}`)).toEqual(wanted);
});

test.each<[unknown, Json, boolean]>([
  [{ type: "string", maxLength: 2 }, "文件", true],
  [{ type: "string", maxLength: 2 }, "文件夹", false],
  [{ type: "string", pattern: "^a+$" }, "aa", true],
  [{ type: "string", pattern: "^a+$" }, "b", false],
  [{ type: "string", pattern: "(?i)x" }, "b", true],
  [{ type: "number", multipleOf: 0.1 }, 0.3, true],
  [{ type: "number", multipleOf: 2 }, 3, false],
  [{ type: "number", exclusiveMinimum: 0 }, 0, false],
  [{ type: "array", uniqueItems: true }, [{ a: 1, b: 2 }, { b: 2, a: 1 }], false],
  [{ type: "object", additionalProperties: { type: "integer" } }, { a: "b" }, false],
  [false, 1, false],
])("%j and %j", (schema, value, fits) => {
  expect(validate(schema, value, schema).length === 0).toBe(fits);
});

test("a field is set, kept in its place, and taken out", () => {
  expect(Object.keys(withField({ a: 1, b: 2 }, "a", 3))).toEqual(["a", "b"]);
  expect(withField({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
});

test("form to text and back loses nothing, what the schema does not know included", () => {
  const value = { path: "a", stray: { deep: [1, null, "文"] }, glob: null, limit: "not a number" };
  const back = readRaw(writeRaw(value));
  expect(back).toEqual({ value });
  expect(extraFields(edit, value)).toEqual(["stray"]);
});

test.each([["[1]"], ["{"], ["7"]])("raw text %s is no set of arguments", (text) => {
  expect(readRaw(text)).toHaveProperty("problem");
});

test("nothing at all is no arguments", () => {
  expect(readRaw("  ")).toEqual({ value: {} });
});

const branches = edit.properties.glob.anyOf.slice(0, 2);

test("a value finds its branch and is carried to the other one", () => {
  expect(branchOf(branches, "*.rs", edit)).toBe(0);
  expect(branchOf(branches, ["*.rs"], edit)).toBe(1);
  expect(branchOf(branches, [7], edit)).toBe(1);
  expect(carried("*.rs", { type: "array", items: { type: "string" } }, edit)).toEqual(["*.rs"]);
  expect(carried(["*.rs", "*.ts"], { type: "string" }, edit)).toBe("*.rs");
  expect(carried({ a: 1 }, { type: "string" }, edit)).toBe("");
});

test.each<[unknown, Json]>([
  [{ type: "string" }, ""],
  [{ type: "integer", minimum: 3 }, 3],
  [{ enum: ["x", "y"] }, "x"],
  [{ type: "object", required: ["kind"], properties: { kind: { const: "file" } } }, { kind: "file" }],
  [true, null],
])("a new item of %j is %j", (schema, blank) => {
  expect(blankOf(schema, schema)).toEqual(blank);
});

test("the order of fields makes no difference, their content does", () => {
  expect(same({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(same({ a: 1 }, { a: 1, b: null })).toBe(false);
});
