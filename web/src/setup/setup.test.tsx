import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import { useRoute } from "../router";
import { serve, show } from "../test/page";
import { useFirstRun } from "./firstRun";
import { SetupPage } from "./SetupPage";

afterEach(() => {
  vi.unstubAllGlobals();
});

const about = (model: string | null, owner = true) => ({
  version: "1",
  user: { name: "ada", owner },
  here: true,
  workspaces: [],
  mode: "ask",
  language: "auto",
  model,
  limits: { upload_bytes: 1, message_bytes: 1 },
  unavailable: [],
});

function Where() {
  const route = useRoute();
  useFirstRun(route);
  return <p>{route.name}</p>;
}

test.each([
  ["no model and nothing said", null, 0, null, "setup"],
  ["a model", "a/b", 0, null, "home"],
  ["sessions", null, 3, null, "home"],
  ["passed before", null, 0, "passed", "home"],
])("the set-up comes by itself: %s", async (_, model, total, kept, name) => {
  if (kept !== null) localStorage.setItem("deskhand.setup", kept);
  const log = serve({
    "GET about": () => about(model),
    "GET sessions": () => ({ total, page: 1, page_size: 30, sessions: [] }),
  });
  await show(<Where />);
  await waitFor(() => expect(log).toHaveLength(2));
  await waitFor(() => expect(screen.getByText(name)).toBeTruthy());
});

const provider = { key_source: null, has_key: false, key_url: null, start: null, pull: null, default_model: null };
const models = {
  usual: null,
  models: [],
  providers: [
    { ...provider, name: "openai", title: "OpenAI", needs_key: true, default_model: "x", base_url: "https://o.example/v1" },
    {
      ...provider,
      name: "ollama",
      title: "Ollama",
      needs_key: false,
      base_url: "http://127.0.0.1:11434/v1",
      start: "ollama serve",
      pull: "ollama pull q",
    },
    { ...provider, name: "custom", title: "Custom OpenAI-compatible server", needs_key: false, base_url: null },
  ],
  keyring: { available: true },
};

test("provider, key, test, and it is the default model", async () => {
  const user = userEvent.setup();
  const log = serve({
    "GET about": () => about(null),
    "GET models": () => models,
    "POST models/available": () => ({ models: ["x"] }),
    "POST models/test": () => ({ ok: true, latency_ms: 5 }),
    "POST models/setup": () => ({ model: "openai/x", kept: "keyring", warnings: [] }),
  });
  window.history.replaceState(null, "", "/setup");
  await show(<SetupPage />);
  await user.click(await screen.findByRole("button", { name: /^OpenAI/ }));
  await user.type(screen.getByLabelText("Key"), "sk-1");
  expect(screen.queryByRole("button", { name: "Start talking" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Test and save" }));
  await user.click(await screen.findByRole("button", { name: "Start talking" }));
  await waitFor(() => expect(window.location.pathname).toBe("/"));
  expect(log.find(({ path }) => path === "models/setup")?.body).toEqual({
    provider: "openai",
    key: "sk-1",
    where: "keyring",
    model: "x",
  });
});

test.each([
  ["en", "Ollama is not running at 127.0.0.1:11434."],
  ["zh", "Ollama 没有在 127.0.0.1:11434 运行。"],
] as const)("Ollama that does not run says how to start it: %s", async (language, words) => {
  const user = userEvent.setup();
  const error = { class: "network", problem: "no_server", message: "cannot be reached", said: null, hint: null };
  serve({
    "GET about": () => about(null),
    "GET models": () => models,
    "POST models/available": () => ({ models: [], error }),
  });
  await show(<SetupPage />, language);
  await user.click(await screen.findByRole("button", { name: /Ollama/ }));
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.getByText("ollama serve")).toBeTruthy();
});

test("the demo is one click away, in the language of the page", async () => {
  const user = userEvent.setup();
  const log = serve({
    "GET about": () => about(null),
    "GET models": () => models,
    "POST demo": () => ({ session_id: "d" }),
  });
  await show(<SetupPage />, "zh");
  await user.click(await screen.findByRole("button", { name: /先看演示/ }));
  await waitFor(() => expect(window.location.pathname).toBe("/s/d"));
  expect(log.find(({ path }) => path === "demo")?.body).toEqual({ language: "zh" });
});

test("one can go on without a model", async () => {
  const user = userEvent.setup();
  serve({ "GET about": () => about(null), "GET models": () => models });
  await show(<SetupPage />);
  await user.click(await screen.findByRole("button", { name: /Go on without a model/ }));
  expect(window.location.pathname).toBe("/tools");
  expect(localStorage.getItem("deskhand.setup")).toBe("passed");
});
