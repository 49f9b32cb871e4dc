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

const models = {
  usual: null,
  models: [],
  providers: [
    { name: "openai", title: "OpenAI", needs_key: true, has_key: false, key_source: null, default_model: "x" },
    { name: "ollama", title: "Ollama", needs_key: false, has_key: false, key_source: null, default_model: "q" },
  ],
  keyring: { available: true },
};

test("provider, key, test, and it is the usual model", async () => {
  const user = userEvent.setup();
  const log = serve({
    "GET about": () => about(null),
    "GET models": () => models,
    "POST models/keys": () => ({ kept: "keyring" }),
    "POST models/test": () => ({ ok: true, latency_ms: 5 }),
    "PUT settings": () => ({ settings: [], warnings: [] }),
  });
  window.history.replaceState(null, "", "/setup");
  await show(<SetupPage />);
  await user.click(await screen.findByRole("button", { name: /OpenAI/ }));
  await user.type(screen.getByLabelText("Key"), "sk-1");
  expect(screen.queryByRole("button", { name: "Start talking" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Save and test" }));
  await user.click(await screen.findByRole("button", { name: "Start talking" }));
  await waitFor(() => expect(window.location.pathname).toBe("/"));
  expect(log.find(({ method }) => method === "PUT")?.body).toEqual({ model: "openai/x" });
  expect(log.find(({ path }) => path === "models/keys")?.body).toMatchObject({ where: "keyring" });
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
