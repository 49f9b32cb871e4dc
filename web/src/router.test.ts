import { expect, test } from "vitest";

import { navigate, currentRoute, parsePath, type Route, toPath } from "./router";

test.each<[string, Route]>([
  ["/", { name: "home" }],
  ["/s/abc", { name: "session", id: "abc" }],
  ["/s/abc?message=7", { name: "session", id: "abc", message: 7 }],
  ["/tools", { name: "tools" }],
  ["/tools/read_file", { name: "tools", tool: "read_file" }],
  ["/views/vitals", { name: "view", view: "vitals" }],
  ["/settings", { name: "settings" }],
  ["/settings/models", { name: "settings", section: "models" }],
  ["/setup", { name: "setup" }],
  ["/api-docs", { name: "api-docs" }],
])("%s is a route, and is written back the same", (path, route) => {
  expect(parsePath(`#${path}`)).toEqual(route);
  expect(toPath(route)).toBe(path);
});

test("names with odd characters survive", () => {
  const route: Route = { name: "tools", tool: "a/b ?%" };
  expect(parsePath(`#${toPath(route)}`)).toEqual(route);
});

test.each(["", "#", "#/nowhere", "#/s", "#/views"])("%j is home", (hash) => {
  expect(parsePath(hash)).toEqual({ name: "home" });
});

test("a step that replaces leaves no entry in the history of the browser", () => {
  const before = window.history.length;
  navigate({ name: "setup" }, { replace: true });
  expect(currentRoute()).toEqual({ name: "setup" });
  expect(window.history.length).toBe(before);
});
