import { expect, test } from "vitest";

import type { Effects, ToolInfo } from "../../api/types";
import { CONSOLE_TEXTS } from "../texts";
import { effectNames, effectWords } from "./effects";
import { families, familyOf, findTools } from "./finding";

const tool = (name: string, more: Partial<ToolInfo>): ToolInfo => ({
  name,
  description: "",
  description_zh: "",
  permission: "public",
  effects: ["reads"],
  input_schema: {},
  output_schema: {},
  toolsets: [],
  keywords: [],
  example: {},
  available: true,
  ...more,
});

const grep = tool("grep", { toolsets: ["chat", "core", "files"], keywords: ["search", "搜索内容"], description: "Searches content." });
const search = tool("file_search", { toolsets: ["chat", "core", "files"], keywords: ["find"], description_zh: "按名称查找文件" });
const bash = tool("bash", { toolsets: ["core", "shell"], description: "Runs a command; can search, too." });
const all = [bash, grep, search, tool("compact", { toolsets: ["chat"] }), tool("lost", {})];

test.each([
  ["search", ["file_search", "grep", "bash"]],
  ["搜索", ["grep"]],
  ["查找", ["file_search"]],
  ["SEARCH content", ["grep"]],
  ["grep", ["grep"]],
  ["shell", ["bash"]],
  ["nothing like it", []],
])("%s finds %j", (query, names) => {
  expect(findTools(all, query).map((one) => one.name)).toEqual(names);
});

test("no word finds all, in their order", () => {
  expect(findTools(all, "  ")).toEqual(all);
});

test("families are toolsets, but not those across families", () => {
  expect(all.map(familyOf)).toEqual(["shell", "files", "files", "chat", "other"]);
  expect(families(all).map((family) => [family.name, family.tools.length])).toEqual([
    ["shell", 1],
    ["files", 2],
    ["chat", 1],
    ["other", 1],
  ]);
});

test("effects come as names or as flags", () => {
  const flags: Effects = { reads: false, writes: true, executes: true, network: false, desktop: false };
  expect(effectNames(flags)).toEqual(["writes", "executes"]);
  expect(effectNames(["network"])).toEqual(["network"]);
  expect(effectWords(["writes", "strange"], CONSOLE_TEXTS.zh.tools)).toBe("写入 · strange");
});
