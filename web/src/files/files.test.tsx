import { useQueryClient } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import type { CallStep, Step } from "../api/types";
import { type Asked, serve, show } from "../test/page";
import { FilesPane } from "./FilesPane";
import { closePreview } from "./preview";
import { PreviewHost } from "./PreviewHost";
import { outputsOf } from "./queries";

afterEach(() => {
  used.clear();
  closePreview();
  vi.unstubAllGlobals();
});

const succeeded = (data: unknown, images: unknown[] = []) => ({
  success: true,
  status: "success",
  result: null,
  message: "",
  need_confirmation: false,
  confirmation_message: null,
  outcome: { data, images, status: "success" },
});

const used = new Set<string>();

function execute({ body }: Asked) {
  const { tool_name, parameters, plan_id } = body as {
    tool_name: string;
    parameters: { path: string; start_line?: number };
    plan_id?: string;
  };
  const { path, start_line = 1 } = parameters;
  if (tool_name === "list_dir") {
    if (path === "gone") {
      return { success: false, status: "error", result: null, message: "Cannot list gone.", need_confirmation: false };
    }
    const names = path === "src" ? ["src/main.rs"] : ["a.txt", "secret.txt", "cod\u202Etxt.exe"];
    const folders = path === "src" ? [] : ["src", "gone"];
    const entries = [
      ...folders.map((each) => ({ path: each, kind: "folder" })),
      ...names.map((each) => ({ path: each, kind: "file", size: 2048 })),
    ];
    return succeeded({ path, entries, total: entries.length, offset: 0 });
  }
  // A plan is for one part, and for one reading of it.
  const wanted = `p${start_line}`;
  if (path === "secret.txt" && (plan_id !== wanted || used.has(wanted))) {
    return {
      success: false,
      status: "success",
      result: null,
      message: "",
      need_confirmation: true,
      confirmation_message: `Read secret.txt from ${start_line}?`,
      plan_id: wanted,
    };
  }
  if (plan_id !== undefined) used.add(plan_id);
  const more = start_line === 1 ? { next_start_line: 3, truncated: true } : { truncated: false };
  return succeeded({ path, size: 4, mime: "text/plain", content: `line ${start_line} of ${path}\n`, start_line, ...more });
}

function start() {
  return serve({
    "GET about": () => ({ workspaces: ["/w"] }),
    "POST tools/execute": execute,
    "POST downloads": () => ({ id: "1", url: "/api/files/download/1" }),
  });
}

const pane = (
  <>
    <FilesPane sessionId={undefined} />
    <PreviewHost />
  </>
);

test("folders are read when they are opened, and one that cannot be read says why", async () => {
  const user = userEvent.setup();
  const log = start();
  await show(pane);
  await user.click(await screen.findByRole("button", { name: "src" }));
  expect(await screen.findByText("main.rs")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "gone" }));
  expect(await screen.findByText("Cannot list gone.")).toBeTruthy();
  expect(log.filter(({ path }) => path === "tools/execute")).toHaveLength(3);
});

test("a file is read part by part", async () => {
  const user = userEvent.setup();
  start();
  await show(pane);
  await user.click(await screen.findByRole("button", { name: /^a\.txt/ }));
  expect(await screen.findByText(/line 1 of a.txt/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Read on" }));
  expect(await screen.findByText(/line 3 of a.txt/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Read on" })).toBeNull();
});

function ReadAllAgain() {
  const client = useQueryClient();
  return <button onClick={() => void client.invalidateQueries()}>all again</button>;
}

test("what needs a yes is read only after it, each part by its own, and never again by itself", async () => {
  const user = userEvent.setup();
  const log = start();
  await show(
    <>
      {pane}
      <ReadAllAgain />
    </>,
  );
  await user.click(await screen.findByRole("button", { name: /^secret\.txt/ }));
  expect(await screen.findByText("Read secret.txt from 1?")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Read it" }));
  expect(await screen.findByText(/line 1 of secret.txt/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Read on" }));
  expect(await screen.findByText("Read secret.txt from 3?")).toBeTruthy();
  expect(screen.getByText(/line 1 of secret.txt/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Read it" }));
  expect(await screen.findByText(/line 3 of secret.txt/)).toBeTruthy();
  const reads = () => log.filter(({ body }) => (body as { tool_name?: string } | undefined)?.tool_name === "read_file").map(({ body }) => (body as { plan_id?: string }).plan_id);
  expect(reads()).toEqual([undefined, "p1", undefined, "p3"]);
  // As after a lost connection.
  const asked = log.length;
  await user.click(screen.getByRole("button", { name: "all again" }));
  await waitFor(() => expect(log.length).toBeGreaterThan(asked));
  expect(reads()).toHaveLength(4);
  expect(screen.getByText(/line 3 of secret.txt/)).toBeTruthy();
});

test("what nobody sees in a name is shown", async () => {
  start();
  await show(pane);
  expect(await screen.findByText("cod⟨U+202E⟩txt.exe")).toBeTruthy();
});

test("a download is asked for, then followed", async () => {
  const user = userEvent.setup();
  const log = start();
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  await show(pane);
  await user.click(await screen.findByRole("button", { name: "Download a.txt" }));
  await waitFor(() => expect(click).toHaveBeenCalledOnce());
  expect(log.find(({ path }) => path === "downloads")?.body).toEqual({ path: "a.txt", once: true });
});

test("outputs are what calls changed and what was kept, the newest first, each once", () => {
  const step = (id: number, end: Partial<NonNullable<CallStep["end"]>>): Step => ({
    type: "call",
    round: 1,
    call_id: String(id),
    model_call_id: "",
    tool: `tool${id}`,
    arguments: {},
    started_at: "",
    end: { status: "success", result: "", ended_at: String(id), duration_ms: 1, ...end },
  });
  const found = outputsOf([
    step(1, { undo: "1", paths: ["/w/a", "/w/b"] }),
    step(2, { paths: ["/w/only-read"] }),
    step(3, { full_output: "out:3" }),
    step(4, { undo: "4", paths: ["/w/a"] }),
    { type: "text", round: 1, text: "x" },
  ]);
  expect(found.map(({ path, tool, kept }) => [path, tool, kept])).toEqual([
    ["/w/a", "tool4", false],
    ["out:3", "tool3", true],
    ["/w/b", "tool1", false],
  ]);
});
