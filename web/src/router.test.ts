import { afterEach, expect, test } from "vitest";

import { currentRoute, followLinks, navigate, parsePath, type Route, toPath } from "./router";

afterEach(() => {
  document.body.innerHTML = "";
});

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
  expect(parsePath(path)).toEqual(route);
  expect(toPath(route)).toBe(path);
});

test("names with odd characters survive", () => {
  const route: Route = { name: "tools", tool: "a/b ?%" };
  expect(parsePath(toPath(route))).toEqual(route);
});

test.each(["", "/", "/?x=1#y", "/nowhere", "/s", "/views"])("%j is home", (path) => {
  expect(parsePath(path)).toEqual({ name: "home" });
});

test("a step that replaces leaves no entry in the history of the browser", () => {
  const before = window.history.length;
  navigate({ name: "setup" }, { replace: true });
  expect(currentRoute()).toEqual({ name: "setup" });
  expect(window.history.length).toBe(before);
});

test.each([
  ['<a href="/s/7">x</a>', {}, "/s/7"],
  ['<a href="/settings"><b>x</b></a>', {}, "/settings"],
  ['<a href="/s/7">x</a>', { ctrlKey: true }, "/"],
  ['<a href="/s/7" target="_blank">x</a>', {}, "/"],
  ['<a href="/s/7" download>x</a>', {}, "/"],
  ['<a href="/api/files/download/7">x</a>', {}, "/"],
  ['<a href="https://example.org/s/7">x</a>', {}, "/"],
])("a click on %s with %j leads to %s", (html, keys, path) => {
  document.body.innerHTML = html;
  const stop = followLinks();
  // The browser itself must not go anywhere in a test.
  const stay = (event: Event) => event.preventDefault();
  window.addEventListener("click", stay);
  const inside = document.querySelector("b") ?? document.querySelector("a");
  inside?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...keys }));
  window.removeEventListener("click", stay);
  stop();
  expect(window.location.pathname).toBe(path);
});
