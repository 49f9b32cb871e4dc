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
    { name: "openai", title: "OpenAI", needs_key: true, has_key: false, key_source: null, default_model: "x" },
  ],
  keyring: { available: false, why: "No secret service runs." },
};

test.each<[ModelTest, string]>([
  [{ ok: true, latency_ms: 812 }, "It answers, in 812 ms."],
  [{ ok: false, latency_ms: 1, error: { class: "auth", message: "bad key", hint: null } }, "The key was refused."],
  [{ ok: false, latency_ms: 1, error: { class: "server", message: "529", hint: null } }, "The provider is overloaded or has a problem of its own."],
  [{ ok: false, latency_ms: 1, error: { class: "new_class", message: "?", hint: null } }, "The model did not answer."],
])("a key is kept, then tried: %j", async (result, words) => {
  const user = userEvent.setup();
  const log = serve({
    "GET about": () => about,
    "GET models": () => models,
    "POST models/keys": () => ({ kept: "file" }),
    "POST models/test": () => result,
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: "Add a key: OpenAI" }));
  expect(screen.getByText(/No secret service runs/)).toBeTruthy();
  await user.type(screen.getByLabelText("Key"), " sk-1 ");
  await user.click(screen.getByRole("button", { name: "Save and test" }));
  expect(await screen.findByText(words)).toBeTruthy();
  const sent = log.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]);
  expect(sent).toEqual([
    ["models/keys", { provider: "openai", key: "sk-1", where: "file" }],
    ["models/test", { model: "openai/x" }],
  ]);
});
