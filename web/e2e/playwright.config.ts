// How the page is tested in a browser: `npm run e2e`, `npm run screenshots`, `npm run measure`.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { defineConfig } from "@playwright/test";

import { CHROMIUM } from "./chromium";

const here = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  testDir: here,
  outputDir: join(tmpdir(), "deskhand-page-tests"),
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 2,
  // Generous, since the machine may be busy with other things; nothing here is about speed.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    launchOptions: CHROMIUM,
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    // What still moves when it is clicked is missed on a busy machine.
    contextOptions: { reducedMotion: "reduce" },
    // A trace of every test would take longer than the tests: `--trace on` for one that fails.
    screenshot: "only-on-failure",
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
  },
  projects: [
    { name: "tests", testIgnore: [/measure\.spec/, /screenshots\.spec/] },
    { name: "screenshots", testMatch: /screenshots\.spec/ },
    { name: "measure", testMatch: /measure\.spec/ },
  ],
});
