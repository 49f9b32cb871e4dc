import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import type { About, McpServer } from "../../api/types";
import { Refusal, serve, show } from "../../test/page";
import { commandLine } from "./LinkView";
import { linesOf, pairsOf } from "./lines";
import { ServersSection } from "./ServersSection";
import { SERVER_TEXTS } from "./texts";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("lines are arguments and pairs; the first that is none is named", () => {
  expect(linesOf("-y\r\n\n two words \n")).toEqual(["-y", " two words "]);
  expect(pairsOf("A=1\n\nB==x=", "=")).toEqual({ pairs: { A: "1", B: "=x=" }, wrong: null });
  expect(pairsOf("Authorization: Bearer a:b", ":")).toEqual({ pairs: { Authorization: "Bearer a:b" }, wrong: null });
  expect(pairsOf("A=1\n=2", "=").wrong).toBe(2);
  expect(pairsOf("A", "=").wrong).toBe(1);
});

test("a command line shows where each argument ends, and what nobody sees in it", () => {
  expect(commandLine({ command: "npx", args: ["-y", "a b", ""] })).toBe('npx -y "a b" ""');
  expect(commandLine({ command: "a\u202eb", args: [] })).toBe('"a⟨U+202E⟩b"');
});

test("both languages have the same texts, none of them empty", () => {
  const leaves = (value: object): [string, unknown][] =>
    Object.entries(value).flatMap(([key, inside]: [string, unknown]) =>
      typeof inside === "object" && inside !== null ? leaves(inside) : [[key, inside] as [string, unknown]],
    );
  expect(leaves(SERVER_TEXTS.zh).map(([key]) => key)).toEqual(leaves(SERVER_TEXTS.en).map(([key]) => key));
  for (const [key, text] of leaves(SERVER_TEXTS.zh)) expect(text, key).not.toBe("");
});

const about = { user: { name: "ada", owner: true } } as About;

const git: McpServer = {
  kind: "stdio",
  command: "uvx",
  args: ["mcp-server-git"],
  env: { TOKEN: null },
  cwd: null,
  name: "git",
  status: "failed",
  error: "there is no program `uvx`",
  last_words: [],
  file: "/home/ada/.config/deskhand/config.toml",
  editable: false,
  disabled: false,
  permission: "moderate",
  shared: false,
  tools: [],
  refused: [],
  restarts: 0,
  last_seen: null,
  notes: [],
  signs_in: false,
  signed_in: false,
  sign_in: null,
};

test("a server of a config file shows its reason and where it is set up, and is not changed here", async () => {
  const user = userEvent.setup();
  serve({
    "GET about": () => about,
    "GET servers": () => ({ servers: [git], problems: ["mcp.json: mcpServers.old.type: …"], file: null }),
    "GET servers/git/log": () => ({ lines: [] }),
  });
  await show(<ServersSection />);
  expect(await screen.findByText("there is no program `uvx`")).toBeTruthy();
  expect(screen.getByText(/mcpServers.old.type/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Details: git" }));
  expect(screen.getByText(/config\.toml/).textContent).toContain("Change it there");
  expect(screen.getByText("uvx mcp-server-git")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Remove/ })).toBeNull();
});

test("what would be sent to a service is shown before it is added, variables too", async () => {
  const user = userEvent.setup();
  const web = { kind: "http", host: "h.example", headers: ["X-Key"], variables: ["OPENAI_API_KEY"], name: "web", replaces: false, disabled: false };
  serve({
    "GET about": () => about,
    "GET servers": () => ({ servers: [], problems: [], file: null }),
    "POST servers/import": () => ({ added: false, confirm: "c", servers: [web], left_out: [], file: "mcp.json" }),
  });
  await show(<ServersSection />);
  await user.click(await screen.findByRole("button", { name: "Import" }));
  await user.click(screen.getByLabelText("JSON with mcpServers"));
  await user.paste("{}");
  await user.click(screen.getByRole("button", { name: "Review" }));
  expect(await screen.findByText("h.example")).toBeTruthy();
  expect(screen.getByText("Headers: X-Key")).toBeTruthy();
  expect(screen.getByText("Environment variables whose values are sent to it: OPENAI_API_KEY")).toBeTruthy();
});

test("other users see no servers, and ask for none", async () => {
  const log = serve({ "GET about": () => ({ user: { name: "bob", owner: false } }) });
  await show(<ServersSection />);
  expect(await screen.findByText(/Only the owner/)).toBeTruthy();
  expect(log.map(({ path }) => path)).toEqual(["about"]);
});

test("a connected server without tools says so, and a refusal comes with its hint", async () => {
  const user = userEvent.setup();
  serve({
    "GET about": () => about,
    "GET servers": () => ({ servers: [{ ...git, status: "ready", error: null }], problems: [], file: null }),
    "GET servers/git/log": () => ({ lines: [] }),
    "POST servers/git/restart": () => new Refusal(409, "busy", "It is being restarted.", "Wait for it."),
  });
  await show(<ServersSection />);
  await user.click(await screen.findByRole("button", { name: "Details: git" }));
  expect(screen.getByText("This server offers no tools.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Restart: git" }));
  expect(await screen.findByText("It is being restarted. Wait for it.")).toBeTruthy();
});
