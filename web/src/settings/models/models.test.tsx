import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import type { About, Models, Provider } from "../../api/types";
import { Refusal, serve, show } from "../../test/page";
import { SettingsPage } from "../SettingsPage";

afterEach(() => {
  vi.unstubAllGlobals();
});

const about = { user: { name: "ada", owner: true } } as About;

const provider = (name: string, more: Partial<Provider> = {}): Provider => ({
  name,
  title: name,
  needs_key: false,
  has_key: false,
  key_source: null,
  default_model: null,
  base_url: null,
  key_url: null,
  start: null,
  pull: null,
  ...more,
});
const custom = provider("custom", { title: "Custom OpenAI-compatible server", base_url: "http://box:1/v1" });
const ollama = provider("ollama", { title: "Ollama", base_url: "http://127.0.0.1:11434/v1", start: "ollama serve" });

const models = (...providers: Provider[]): Models => ({ usual: null, models: [], providers, keyring: { available: true } });

const problem = (name: string) => ({
  error: { class: "other", problem: name, message: `problem ${name}`, said: null, hint: null },
});

test("a result keeps the address and model it was asked with, and goes with the next edit", async () => {
  const user = userEvent.setup();
  serve({
    "GET about": () => about,
    "GET models": () => models(custom),
    "POST models/available": () => ({ models: [], ...problem("no_server") }),
    "POST models/test": () => ({ ok: false, latency_ms: 1, ...problem("no_such_model") }),
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: /^Set up: Custom/ }));
  expect(await screen.findByText("No server is running at box:1.")).toBeTruthy();
  const address = screen.getByLabelText("Address");
  await user.type(address, "x");
  expect(screen.queryByText(/No server is running/)).toBeNull();
  await user.type(address, "{Backspace}");
  await user.type(screen.getByLabelText("Model"), "one");
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  expect(await screen.findByText("box:1 has no model “one”.")).toBeTruthy();
  await user.type(screen.getByLabelText("Model"), "s");
  expect(screen.queryByText(/has no model/)).toBeNull();
});

test("a list that arrives during a test changes neither the model nor what is said about it", async () => {
  const user = userEvent.setup();
  let answerList: (list: object) => void = () => undefined;
  const later = new Promise((done) => {
    answerList = done;
  });
  const openai = provider("openai", { title: "OpenAI", needs_key: true, default_model: "old", base_url: "https://o.example/v1" });
  serve({
    "GET about": () => about,
    "GET models": () => models(openai),
    "POST models/available": () => later,
    "POST models/test": () => ({ ok: false, latency_ms: 1, ...problem("no_such_model") }),
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: "Add a key: OpenAI" }));
  await user.type(screen.getByLabelText("Key"), "k");
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  expect(await screen.findByText("o.example has no model “old”.")).toBeTruthy();
  answerList({ models: ["new-1", "new-2"] });
  expect(await screen.findByText("2 models available")).toBeTruthy();
  expect(screen.getByText("o.example has no model “old”.")).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Model").value).toBe("old");
});

test("a list that failed does not stand beside a test that worked; what overrides the choice is shown", async () => {
  const user = userEvent.setup();
  serve({
    "GET about": () => about,
    "GET models": () => models(custom),
    "POST models/available": () => new Refusal(500, "broken", "the list broke"),
    "POST models/test": () => ({ ok: true, latency_ms: 5 }),
    "POST models/setup": () => ({ model: null, kept: null, warnings: ["DESKHAND_MODEL counts more"] }),
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: /^Set up: Custom/ }));
  expect(await screen.findByText("the list broke")).toBeTruthy();
  await user.type(screen.getByLabelText("Model"), "one");
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  expect(await screen.findByText("It answers, in 5 ms.")).toBeTruthy();
  expect(screen.queryByText("the list broke")).toBeNull();
  expect(await screen.findByText("DESKHAND_MODEL counts more")).toBeTruthy();
});

test("a local server that requires a key gets a field for it", async () => {
  const user = userEvent.setup();
  serve({
    "GET about": () => about,
    "GET models": () => models(ollama),
    "POST models/available": ({ body }) => ("key" in (body as object) ? { models: ["q"] } : { models: [], ...problem("no_key") }),
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: "Set up: Ollama" }));
  expect(await screen.findByText("127.0.0.1:11434 requires an API key.")).toBeTruthy();
  await user.type(screen.getByLabelText("Key"), "k");
  await user.tab();
  expect(await screen.findByText("1 model available")).toBeTruthy();
  expect(screen.getByLabelText("Key")).toBeTruthy();
});

test("each saved model can be made the default, and a refusal is shown", async () => {
  const user = userEvent.setup();
  let usual: string | null = null;
  const log = serve({
    "GET about": () => about,
    "GET models": () => ({ ...models(custom), usual }),
    "POST models/available": () => ({ models: ["one", "two"] }),
    "POST models/test": () => ({ ok: true, latency_ms: 5 }),
    "POST models/setup": () => ({ model: null, kept: null, warnings: [] }),
    "PUT settings": ({ body }) => {
      const { model } = body as { model: string };
      if (model === "custom/two") return new Refusal(409, "no", "the file cannot be written", "Free some space.");
      usual = model;
      return { settings: [], warnings: [] };
    },
  });
  await show(<SettingsPage section="models" />);
  await user.click(await screen.findByRole("button", { name: /^Set up: Custom/ }));
  const make = async (model: string) => {
    await user.clear(screen.getByLabelText("Model"));
    await user.type(screen.getByLabelText("Model"), model);
    await user.click(screen.getByRole("button", { name: "Test and save" }));
    await user.click(await screen.findByRole("button", { name: `Make custom/${model} the default model` }));
  };
  await make("one");
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Make custom\/one/ }).disabled).toBe(true));
  await make("two");
  expect(await screen.findByText("the file cannot be written")).toBeTruthy();
  expect(screen.getByText("Free some space.")).toBeTruthy();
  expect(log.filter(({ path, method }) => path === "settings" && method === "PUT")).toHaveLength(2);
});

test("only what is known to be set up has a check, and the custom server is called in the page's language", async () => {
  serve({
    "GET about": () => about,
    "GET models": () =>
      models(
        ollama,
        { ...custom, base_url: null },
        provider("openai", { title: "OpenAI", needs_key: true, has_key: true, key_source: "file" }),
      ),
  });
  await show(<SettingsPage section="models" />, "zh");
  const rows = await screen.findAllByRole("listitem");
  expect(rows.map((row) => row.querySelector(".anticon-check-circle") !== null)).toEqual([false, false, true]);
  expect(rows[1]?.textContent).toContain("自定义 OpenAI 兼容服务未填写地址");
});
