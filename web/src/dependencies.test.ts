import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(path, `file://${process.cwd()}/`), "utf8");

test("dependencies are chosen, not collected: each has a row that says why", () => {
  const named = JSON.parse(read("package.json")) as Record<"dependencies" | "devDependencies", Record<string, string>>;
  const packages = [...Object.keys(named.dependencies), ...Object.keys(named.devDependencies)];
  const page = read("../docs/dependencies.md").split("## In the web page")[1] ?? "";
  const rows = [...page.matchAll(/^\| ([^|]+?) \|/gm)].map(([, name]) => name).filter((name) => name !== "package");
  expect(rows.sort()).toEqual(packages.sort());
});

test("the lock file records no download addresses", () => {
  expect(read("package-lock.json")).not.toContain('"resolved"');
});
