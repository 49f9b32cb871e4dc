import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import type { About, Models, ModelTest, Setting } from "../api/types";
import { Refusal, serve, show } from "../test/page";
import { SettingsPage } from "./SettingsPage";

afterEach(() => {
  vi.unstubAllGlobals();
});

const about: About = {
  version: "1",
  user: { name: "ada", owner: true },
  here: true,
  workspaces: ["/w"],
  mode: "ask",
  modes: ["ask", "auto", "read-only", "unattended"],
  language: "auto",
  model: null,
  limits: { upload_bytes: 1, message_bytes: 1 },
  unavailable: [{ tool: "screenshot", reason: "There is no display.", remedy: "Start one." }],
};

const setting = (key: string, value: Setting["value"], more: Partial<Setting> = {}): Setting => ({
  key,
  value,
  default: value,
  source: "default",
  about: `About ${key}`,
  ...more,
});

test("a tool that this machine lacks something for is named, with the reason", async () => {
  serve({ "GET about": () => about });
  await show(<SettingsPage />);
  expect(await screen.findByText("screenshot")).toBeTruthy();
  expect(screen.getByText("There is no display. Start one.")).toBeTruthy();
});

test("settings are saved one by one; what the server refuses is told beside them", async () => {
  const user = userEvent.setup();
  const settings = [setting("audit.enabled", true), setting("approval_timeout_s", 300)];
  const log = serve({
    "GET about": () => about,
    "GET settings": () => ({ settings, warnings: ["line 4: there is no setting fnord"] }),
    "PUT settings": ({ body }) =>
      "approval_timeout_s" in (body as object)
        ? new Refusal(400, "invalid", "approval_timeout_s: a number from 1 to 86400")
        : { settings: settings.map((each) => ({ ...each, value: false, source: "file" })), warnings: [] },
  });
  await show(<SettingsPage section="all" />);
  expect(await screen.findByText("line 4: there is no setting fnord")).toBeTruthy();
  const number = screen.getByRole("spinbutton", { name: "approval_timeout_s" });
  await user.clear(number);
  await user.type(number, "0{Enter}");
  expect(await screen.findByText(/a number from 1 to 86400/)).toBeTruthy();
  await user.click(screen.getByRole("switch", { name: "audit.enabled" }));
  await waitFor(() => expect(screen.getByRole("switch", { name: "audit.enabled" })).toHaveProperty("ariaChecked", "false"));
  const bodies = log.filter(({ method }) => method === "PUT").map(({ body }) => body);
  expect(bodies).toContainEqual({ "audit.enabled": false });
});

test("what the environment sets, and what belongs to another person, cannot be changed here", async () => {
  const settings = [
    setting("audit.enabled", true, { source: "DESKHAND_AUDIT_ENABLED" }),
    setting("restrict_to_workspace", false),
  ];
  serve({
    "GET about": () => ({ ...about, user: { name: "bob", owner: false } }),
    "GET settings": () => ({ settings, warnings: [] }),
  });
  await show(<SettingsPage section="all" />);
  expect(await screen.findByText(/Set by DESKHAND_AUDIT_ENABLED/)).toBeTruthy();
  expect(await screen.findByText(/Only the owner/)).toBeTruthy();
  for (const each of screen.getAllByRole<HTMLButtonElement>("switch")) expect(each.disabled).toBe(true);
});

const models: Models = {
  usual: null,
  models: [],
  providers: [
    {
      name: "openai",
      title: "OpenAI",
      needs_key: true,
      has_key: false,
      key_source: null,
      default_model: "x",
      base_url: "https://api.openai.com/v1",
      key_url: "https://platform.openai.com/api-keys",
      start: null,
      pull: null,
    },
  ],
  keyring: { available: false, why: "No secret service runs." },
};

const failed = (problem: string, said: string | null): ModelTest => ({
  ok: false,
  latency_ms: 1,
  error: { class: "auth", problem, message: "api.openai.com answered 401", said, hint: null },
});

test.each<[ModelTest, string, string | null]>([
  [{ ok: true, latency_ms: 812 }, "It answers, in 812 ms.", null],
  [failed("wrong_key", "bad key"), "The key was refused.", "api.openai.com answered: “bad key”"],
  [failed("no_server", null), "No server is running at api.openai.com.", "Details: api.openai.com answered 401"],
  [failed("a_new_one", null), "The test failed.", null],
])("a key is tried, and saved only if it works: %j", async (result, words, detail) => {
  const user = userEvent.setup();
  const log = serve({
    "GET about": () => about,
    "GET models": () => models,
    "POST models/available": () => ({ models: ["x", "y"] }),
    "POST models/test": () => result,
    "POST models/setup": () => ({ model: null, kept: "file", warnings: [] }),
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: "Add a key: OpenAI" }));
  expect(screen.getByText(/No secret service runs/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Get a key from OpenAI" })).toHaveProperty(
    "href",
    "https://platform.openai.com/api-keys",
  );
  await user.type(screen.getByLabelText("Key"), " sk-1 ");
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  expect(await screen.findByText(words)).toBeTruthy();
  if (detail !== null) expect(screen.getByText(detail)).toBeTruthy();
  const sent = () => log.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]);
  const saved = ["models/setup", { provider: "openai", key: "sk-1", where: "file" }];
  const tried = [
    ["models/available", { provider: "openai", key: "sk-1" }],
    ["models/test", { model: "openai/x", key: "sk-1" }],
  ];
  await waitFor(() => expect(sent()).toEqual(result.ok ? [...tried, saved] : tried));
  if (result.ok) return;
  await user.click(screen.getByRole("button", { name: "Save anyway" }));
  await waitFor(() => expect(sent().at(-1)).toEqual(saved));
});

test("the stored key goes to another address only with a tick", async () => {
  const user = userEvent.setup();
  const [openai] = models.providers;
  const log = serve({
    "GET about": () => about,
    "GET models": () => ({ ...models, providers: [{ ...openai, has_key: true, key_source: "file" }] }),
    "POST models/available": () => ({ models: ["x"] }),
    "POST models/test": () => failed("key_held_back", null),
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: "Change the key: OpenAI" }));
  await user.click(screen.getByRole("button", { name: "Change" }));
  const address = screen.getByLabelText("Address");
  await user.clear(address);
  await user.type(address, "http://box:1/v1");
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  expect(await screen.findByText(/it was not sent to box:1/)).toBeTruthy();
  await user.click(screen.getByRole("checkbox", { name: "Send the stored key to box:1, too" }));
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  const base_url = "http://box:1/v1";
  const tests = () => log.filter(({ path }) => path === "models/test").map(({ body }) => body);
  await waitFor(() =>
    expect(tests()).toEqual([
      { model: "openai/x", base_url },
      { model: "openai/x", base_url, use_stored_key: true },
    ]),
  );
});
