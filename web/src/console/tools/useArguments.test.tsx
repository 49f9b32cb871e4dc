import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";

import type { ToolInfo } from "../../api/types";
import { useArguments } from "./useArguments";

const tool = {
  name: "write",
  input_schema: {
    type: "object",
    required: ["path", "mode"],
    properties: { path: { type: "string" }, mode: { enum: ["a", "b"], default: "b" }, limit: { type: "integer" } },
  },
  example: { path: "x.md", mode: "a" },
} as unknown as ToolInfo;

test("form and raw text are one value, back and forth without loss", () => {
  const { result } = renderHook(() => useArguments(tool));
  expect(result.current.value).toEqual({ mode: "b" });
  act(() => result.current.set({ mode: "b", path: "文.md" }));
  act(() => result.current.show("raw"));
  expect(JSON.parse(result.current.raw ?? "")).toEqual({ mode: "b", path: "文.md" });
  act(() => result.current.setRaw('{"path":"y","stray":[1,null],"mode":"b"}'));
  act(() => result.current.show("form"));
  expect(result.current.raw).toBeNull();
  expect(result.current.value).toEqual({ path: "y", stray: [1, null], mode: "b" });
});

test("raw text that cannot be read stays as it was typed", () => {
  const { result } = renderHook(() => useArguments(tool));
  act(() => result.current.show("raw"));
  act(() => result.current.setRaw("{ not yet"));
  act(() => result.current.show("form"));
  expect(result.current.raw).toBe("{ not yet");
  expect(result.current.problem).not.toBe("");
});

test("the example fills both, and starting over takes it away", () => {
  const { result } = renderHook(() => useArguments(tool));
  act(() => result.current.show("raw"));
  act(() => result.current.fill(tool.example));
  expect(JSON.parse(result.current.raw ?? "")).toEqual({ path: "x.md", mode: "a" });
  expect(result.current.issues).toEqual([]);
  act(() => result.current.reset());
  expect(result.current.value).toEqual({ mode: "b" });
  expect(result.current.issues).toMatchObject([{ code: "required", path: ["path"] }]);
});
