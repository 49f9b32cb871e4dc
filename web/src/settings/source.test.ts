import { expect, test } from "vitest";

import type { Setting } from "../api/types";
import { grouped, isFixed, sourceOf } from "./source";

test.each<[Setting["source"], string, string | null, boolean]>([
  ["default", "default", null, false],
  ["file", "file", null, false],
  ["/home/ada/.config/deskhand/config.toml", "file", "/home/ada/.config/deskhand/config.toml", false],
  ["/srv/shop/.deskhand/config.toml", "workspace", "/srv/shop/.deskhand/config.toml", false],
  ["DESKHAND_MODE", "environment", "DESKHAND_MODE", true],
  ["--mode", "flag", "--mode", true],
  [{ from: "default" }, "default", null, false],
  [{ from: "environment", variable: "DESKHAND_MODE" }, "environment", "DESKHAND_MODE", true],
  [{ from: "flag", flag: "--mode" }, "flag", "--mode", true],
  [{ from: "file", path: "/c.toml" }, "file", "/c.toml", false],
  [{ from: "elsewhere" }, "other", null, false],
])("%j", (source, kind, detail, fixed) => {
  const read = sourceOf({ source });
  expect(read).toEqual({ kind, detail });
  expect(isFixed(read)).toBe(fixed);
});

test("settings stand together with those of the same first word", () => {
  const keys = ["mode", "undo.max_bytes", "language", "undo.max_age_days"];
  const settings = keys.map((key) => ({ key, value: 1, default: 1, source: "default", about: "" }));
  expect(grouped(settings).map(([group, members]) => [group, members.map(({ key }) => key)])).toEqual([
    ["general", ["mode", "language"]],
    ["undo", ["undo.max_bytes", "undo.max_age_days"]],
  ]);
});
