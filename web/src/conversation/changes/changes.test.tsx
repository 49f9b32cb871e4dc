// What a command changed: as a question, and as the end of its step.
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "antd";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";

import type { ChangedEntry, ChangeSummary, EventBody, Plan, SessionChange } from "../../api/types";
import type { Language } from "../../i18n";
import { type Asked, serve, show } from "../../test/page";
import { ApprovalCard } from "../approval/ApprovalCard";
import { done, events, outcome, plan, planned, request, started } from "../events.testing";
import { forgetSeen, turnOf } from "../finished";
import { reduceAll, startOf } from "../live";
import { SessionContext } from "../SessionContext";
import { CallRow } from "../steps/CallRow";
import type { CallItem } from "../view";
import { ChangeList } from "./ChangeList";
import { countOf, summaryOf } from "./summary";

afterEach(() => {
  forgetSeen();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const entry = (path: string, kind: ChangedEntry["kind"], more: Partial<ChangedEntry> = {}): ChangedEntry => ({
  path, kind, added: 0, removed: 0, bytes: 0, ...more,
});

const ENTRIES: ChangedEntry[] = [
  entry("old", "deleted", { entries: 1203, bytes: 84 * 1024 * 1024, entry_type: "folder" }),
  entry("target", "created", { entries: 310, bytes: 5 * 1024 * 1024, entry_type: "folder", ignored: true }),
  entry("data", "modified", { was: "folder", entry_type: "link" }),
  entry("run.sh", "mode", { mode: { before: "644", after: "755" } }),
  entry("b.txt", "moved", { from: "a\u202E.txt" }),
  entry("src/main.rs", "modified", { added: 3, removed: 1, bytes: 90 }),
  entry(".git/hooks/pre-commit", "created", { bytes: 40, runs_later: "Git runs it before each commit" }),
];
const CHANGES: ChangeSummary = { ...summaryOf(ENTRIES), more: 7 };
const DIFF = "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1 +1 @@\n-one\n+two\n";
const KEEP: Plan = {
  ...plan,
  summary: "Keep the changes of: make",
  why: "It changes files in the workspace.",
  changes: CHANGES,
  preview: { kind: "diff", text: DIFF },
  shapes: [{ kind: "changes", workspace: "/w" }],
};

const lines = () => within(screen.getByRole("list", { name: /Changed files|更改的文件/ })).getAllByRole("listitem").map((line) => line.textContent);

test("the list shows what runs later first, and ignored output last", async () => {
  await show(<ChangeList changes={CHANGES} />);
  expect(lines()).toEqual([
    "A.git/hooks/pre-commit40 BRuns later: Git runs it before each commit",
    "Dold/1,203 files84 MB",
    "Mdatawas a folderlink",
    "Prun.shpermissions 644 → 755",
    "Ra⟨U+202E⟩.txt → b.txt",
    "Msrc/main.rs+3−190 B",
    "target/: 310 files, 5 MB, ignored by Git",
    "and 7 more",
  ]);
  expect(screen.getByRole("img", { name: "Deleted" }).textContent).toBe("D");
  expect(screen.getByText("311 created · 2 modified · 1,203 deleted · 1 moved · 1 with new permissions · 5 MB written · 84 MB deleted")).toBeTruthy();
});

test("the list in Chinese", async () => {
  await show(<ChangeList changes={CHANGES} />, "zh");
  expect(lines()).toEqual([
    "A.git/hooks/pre-commit40 B以后会自动运行：Git runs it before each commit",
    "Dold/1,203 个文件84 MB",
    "Mdata原为文件夹链接",
    "Prun.sh权限 644 → 755",
    "Ra⟨U+202E⟩.txt → b.txt",
    "Msrc/main.rs+3−190 B",
    "target/：310 个文件，5 MB，被 Git 忽略",
    "另有 7 项",
  ]);
  expect(screen.getByText("新建 311 · 修改 2 · 删除 1,203 · 移动 1 · 更改权限 1 · 写入 5 MB · 删除 84 MB")).toBeTruthy();
});

test("changed entries are counted with those that a folder stands for", () => {
  expect(countOf(CHANGES)).toBe(1518);
  expect(countOf(summaryOf([]))).toBe(0);
});

async function ask(id: string, language: Language = "en", more: Partial<Plan> = {}, may_remember = true): Promise<Asked[]> {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 100, 600, 300));
  const settled = { settled: "answered", answer: { to: "execution", answer: "yes" }, by: "person:web" };
  const asked = serve({ [`POST approvals/${id}`]: () => ({ accepted: true, settled }) });
  const question = request({ id, tool: "bash", arguments: { command: "make" }, may_remember, subject: { about: "execution", plan: { ...KEEP, ...more } } });
  await show(<App><ApprovalCard request={question} /></App>, language);
  // Keys count only after a moment.
  act(() => void vi.advanceTimersByTime(1000));
  return asked;
}

const user = () => userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

test("the question shows the command, the list and the diff, and offers no edit", async () => {
  await ask("q-words");
  expect(screen.getByText("Keep these changes?")).toBeTruthy();
  expect(screen.getByText("make")).toBeTruthy();
  expect(lines()).toHaveLength(8);
  expect(screen.getByText("+1 −1")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Edit/ })).toBeNull();
});

test("the question in Chinese", async () => {
  await ask("q-chinese", "zh");
  expect(screen.getByText("保留这些更改吗？")).toBeTruthy();
  expect(screen.getByRole("button", { name: /^保留(?!并)/ })).toBeTruthy();
  expect(screen.getByRole("button", { name: /^丢弃…/ })).toBeTruthy();
});

test("k keeps, and the answer is said in words", async () => {
  const asked = await ask("q-keep");
  fireEvent.keyDown(document.body, { key: "a" });
  expect(asked).toEqual([]);
  fireEvent.keyDown(document.body, { key: "k" });
  await waitFor(() => expect(asked.map(({ body }) => body)).toEqual([{ answer: "yes" }]));
  expect(await screen.findByText("Kept by you on this page.")).toBeTruthy();
});

test("d discards with a reason", async () => {
  const asked = await ask("q-discard");
  fireEvent.keyDown(document.body, { key: "d" });
  expect(screen.queryByRole("checkbox")).toBeNull();
  await user().type(screen.getByLabelText("Reason"), "wrong folder{Enter}");
  await waitFor(() => expect(asked.map(({ body }) => body)).toEqual([{ answer: "no", reason: "wrong folder" }]));
});

test("a yes can cover undoable changes in this workspace", async () => {
  const asked = await ask("q-remember");
  await user().click(screen.getByRole("button", { name: "Keep and remember…" }));
  expect(screen.queryByRole("radio", { name: "Always, everywhere" })).toBeNull();
  await user().click(screen.getByRole("radio", { name: "This workspace" }));
  const sentence = "Kept without asking in every conversation in the workspace /w: undoable changes in this workspace, by commands and file tools, until you revoke it.";
  expect(screen.getByText(sentence)).toBeTruthy();
  await user().click(screen.getByRole("button", { name: "Keep and remember" }));
  const remember = { scope: "workspace", shape: { kind: "changes", workspace: "/w" }, until: null };
  await waitFor(() => expect(asked.map(({ body }) => body)).toEqual([{ answer: "yes", remember }]));
});

test("what is asked every time offers no remembering", async () => {
  await ask("q-sensitive", "en", { permission: "sensitive", shapes: [], why: "It deletes much." }, false);
  expect(screen.queryByRole("button", { name: /remember/ })).toBeNull();
  expect(screen.getByText("It deletes much.")).toBeTruthy();
});

const change: SessionChange = { call_id: "c1", turn_id: "turn-1", tool: "bash", summary: "", paths: ["/w/old"], undone: false };

function Place({ children }: { children: ReactNode }) {
  return (
    <App>
      <SessionContext value={{ sessionId: "s", workspace: "/w", changes: new Map([["c1", change]]), expired: new Set(), askAgain: null }}>{children}</SessionContext>
    </App>
  );
}

const keepPlanned: EventBody = { type: "call_planned", call_id: "c1", tool: "bash", arguments: { command: "make" }, plan: KEEP, decision: "allow" };
const ended = (kept: boolean): EventBody => ({
  type: "call_ended",
  outcome: outcome("c1", { tool: "bash", changes: ENTRIES, kept, undo: kept ? "c1" : null, status: kept ? "success" : "execution_rejected" }),
});

function live(...bodies: EventBody[]): CallItem {
  const item = reduceAll(startOf(0), events(started, ...bodies, done)).turn?.items[0];
  if (item?.kind !== "call") throw new Error("no call");
  return item;
}

test("the step of a command keeps its own plan, and has the changes beside it", () => {
  expect(live(planned("c1"), keepPlanned, ended(true))).toMatchObject({ plan: { summary: "Change notes.txt" }, changes: { more: 7 }, diff: DIFF });
});

test("a finished step says what became of the changes, and unfolds to the list and the diff", async () => {
  await show(<Place><ol><CallRow call={live(planned("c1"), keepPlanned, ended(true))} running={false} /></ol></Place>);
  expect(screen.getByRole("button", { name: /Undo$/ })).toBeTruthy();
  expect(screen.queryByRole("list", { name: "Changed files" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "1,518 files changed, kept" }));
  expect(lines()).toHaveLength(8);
  expect(screen.getByText("+1 −1")).toBeTruthy();
});

test("discarded changes offer no undo, and the step says so", async () => {
  await show(<Place><ol><CallRow call={live(planned("c1"), keepPlanned, ended(false))} running={false} /></ol></Place>);
  expect(screen.getByRole("button", { name: "1,518 files changed, discarded" })).toBeTruthy();
  expect(screen.getByText("Discarded")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Undo$/ })).toBeNull();
  cleanup();
  await show(<Place><ol><CallRow call={live(ended(false))} running={false} /></ol></Place>, "zh");
  expect(screen.getByRole("button", { name: "1,518 个文件的更改已丢弃" })).toBeTruthy();
});

test("after a reload the list comes from the stored outcome", async () => {
  const message = {
    id: 8, session_id: "s", role: "assistant" as const, content: "", timestamp: "2026-01-01T00:00:09.000Z", metadata: { turn_id: "turn-1" },
    execution_steps: [{
      type: "call" as const, round: 1, call_id: "c1", model_call_id: "m", tool: "bash", arguments: { command: "make" }, started_at: "2026-01-01T00:00:00.000Z",
      end: { status: "success" as const, result: "", ended_at: "2026-01-01T00:00:01.000Z", duration_ms: 40, undo: "c1" },
    }],
    call_events: events(ended(true)),
  };
  const [item] = turnOf(message).items;
  if (item?.kind !== "call") throw new Error("no call");
  await show(<Place><ol><CallRow call={item} running={false} /></ol></Place>);
  fireEvent.click(screen.getByRole("button", { name: "1,518 files changed, kept" }));
  expect(lines()).toHaveLength(7);
});
