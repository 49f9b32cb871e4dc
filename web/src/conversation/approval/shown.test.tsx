// What a question shows, and what it keeps.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "antd";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ApprovalRequest, Json, Plan, Touch } from "../../api/types";
import { LanguageProvider, loadLanguage } from "../../i18n";
import { plan, request } from "../events.testing";
import { SessionContext } from "../SessionContext";
import { ApprovalCard } from "./ApprovalCard";

const first = await loadLanguage("en");
let sent: unknown[] = [];

beforeEach(() => {
  sent = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    sent.push(JSON.parse(init.body as string));
    return new Promise(() => undefined);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function Around({ children }: { children: ReactNode }) {
  return (
    <LanguageProvider first={first}>
      <App>
        <SessionContext value={{ sessionId: "s", workspace: "/w", changes: new Map(), expired: new Set(), askAgain: null }}>{children}</SessionContext>
      </App>
    </LanguageProvider>
  );
}

const show = (question: ApprovalRequest) => render(<ApprovalCard request={question} />, { wrapper: Around });
const touch = (path: string, access: Touch["access"]): Touch => ({ path, access, recursive: false, permission: "moderate", rule: "r", fingerprint: "absent" });
const card = () => screen.getByRole("region").textContent;

function asked(id: string, more: Partial<Plan>, args: Json = { path: "notes.txt" }): ApprovalRequest {
  return request({ id, arguments: args, subject: { about: "execution", plan: { ...plan, ...more } } });
}

test("paths are whole, and nothing is cut out of the summary", () => {
  show(asked("whole", { summary: "Write /etc/w/passwd", touches: [touch("/etc/w/passwd", "modify"), touch("/w/a", "read")] }));
  expect(screen.getByText("Write /etc/w/passwd")).toBeTruthy();
  expect(screen.getByText("/etc/w/passwd")).toBeTruthy();
  expect(screen.getByText("/w/a")).toBeTruthy();
});

test("spaces push nothing out of sight", () => {
  show(asked("gaps", {}, { command: `ls${" ".repeat(3000)}; rm -rf ~` }));
  expect(screen.getByLabelText("Command").textContent).toBe("ls3000 spaces; rm -rf ~");
});

test("what nobody sees is named, wherever it stands", () => {
  const bad = "a\u202Eb\u200Bc";
  const shown = "a⟨U+202E⟩b⟨U+200B⟩c";
  show(asked("unseen", {
    summary: `summary ${bad}`, why: `why ${bad}`, notes: [`note ${bad}`], hosts: [`host-${bad}`], programs: [`program-${bad}`],
    touches: [touch(`/path-${bad}`, "modify")], cwd: `/cwd-${bad}`, undo: { no: `undo ${bad}` },
    confinement: `confined ${bad}`, outside: `outside ${bad}`, commands: [["run", `argument-${bad}`]],
    preview: { kind: "diff", text: `--- a\n+++ a\n@@ -1 +1 @@\n-x\n+diff ${bad}\n` },
  }, { command: `command ${bad}` }));
  const text = card();
  for (const word of ["summary ", "why ", "note ", "host-", "program-", "/path-", "/cwd-", "undo: ", "confined ", "outside ", "argument-", "diff ", "command "]) {
    expect(text).toContain(word === "undo: " ? `undo ${shown}` : `${word}${shown}`);
  }
  expect(text).not.toContain("\u202E");
});

test("what else the plan says is said", () => {
  show(asked("facts", { with_network: true, outside: "the web", result_approval: true, commands: [["rm", "-rf", "a b"], ["ls"]] }));
  for (const text of ["is given the network", "the web", "you are asked before the model sees it", 'rm -rf "a b"', "ls"]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
});

test("every path that is touched can be seen", async () => {
  const touches = Array.from({ length: 30 }, (_, index) => touch(`/w/file-${index}`, "delete"));
  show(asked("many", { touches }));
  expect(screen.queryByText("/w/file-29")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Show all 30 paths" }));
  expect(screen.getByText("/w/file-29")).toBeTruthy();
});

test("without a preview the arguments are shown, with one they can be unfolded", async () => {
  const { unmount } = show(asked("bare", {}, { key: "value" }));
  expect(screen.getByLabelText("Arguments").textContent).toBe('{\n  "key": "value"\n}');
  unmount();
  show(asked("command", {}, { command: "ls", timeout_ms: 5 }));
  expect(screen.queryByLabelText("Arguments")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "All arguments" }));
  expect(screen.getByLabelText("Arguments").textContent).toContain('"timeout_ms": 5');
});

test("a result names what nobody sees, and is edited as it is, with a warning", async () => {
  const text = "total\u202E 5";
  show(request({ id: "unseen result", subject: { about: "result", text, data: null } }));
  expect(screen.getByLabelText("Result").textContent).toBe("total⟨U+202E⟩ 5");
  await userEvent.click(screen.getByRole("button", { name: /^Edit/ }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("Result").value).toBe(text);
  expect(screen.getByText(/characters in this text that are not seen/)).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Result"), { target: { value: `${text}!` } });
  await userEvent.click(screen.getByRole("button", { name: "Pass on the edited text" }));
  expect(sent).toEqual([{ answer: "edit", text: `${text}!` }]);
});

test("a number stays a number, and what is none is told at its field", async () => {
  show(asked("numbers", {}, { timeout_ms: 1000, note: null }));
  await userEvent.click(screen.getByRole("button", { name: /^Edit/ }));
  const field = screen.getByLabelText("timeout_ms");
  await userEvent.clear(field);
  await userEvent.click(screen.getByRole("button", { name: "Use these arguments" }));
  expect(sent).toEqual([]);
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByRole("alert").textContent).toBe("This must be a number.");
  await userEvent.type(field, "1.5");
  await userEvent.click(screen.getByRole("button", { name: "Use these arguments" }));
  expect(sent).toEqual([{ answer: "edit", arguments: { timeout_ms: 1.5, note: null } }]);
});

test("edited arguments are there again when the question is, and take no focus", async () => {
  const question = asked("kept arguments", {});
  const { unmount } = show(question);
  await userEvent.click(screen.getByRole("button", { name: /^Edit/ }));
  fireEvent.change(screen.getByLabelText("path"), { target: { value: "mine.txt" } });
  unmount();
  show(question);
  expect(screen.getByLabelText<HTMLTextAreaElement>("path").value).toBe("mine.txt");
  await userEvent.click(screen.getByRole("button", { name: "Use these arguments" }));
  expect(sent).toEqual([{ answer: "edit", arguments: { path: "mine.txt" } }]);
});

test("a reason is there again when the question is", async () => {
  const question = asked("kept reason", {});
  const { unmount } = show(question);
  await userEvent.click(screen.getByRole("button", { name: /^Deny…/ }));
  expect(document.activeElement).toBe(screen.getByLabelText("Reason"));
  fireEvent.change(screen.getByLabelText("Reason"), { target: { value: "not now" } });
  unmount();
  show(question);
  expect(screen.getByLabelText<HTMLInputElement>("Reason").value).toBe("not now");
  expect(document.activeElement).toBe(document.body);
});

test("an edited result is there again when the question is", async () => {
  const question = request({ id: "kept result", subject: { about: "result", text: "secret", data: null } });
  const { unmount } = show(question);
  await userEvent.click(screen.getByRole("button", { name: /^Edit/ }));
  fireEvent.change(screen.getByLabelText("Result"), { target: { value: "nothing" } });
  unmount();
  show(question);
  expect(screen.getByLabelText<HTMLTextAreaElement>("Result").value).toBe("nothing");
  expect(document.activeElement).toBe(document.body);
});

test("how long an answer is remembered is there again, as the sentence says", async () => {
  const question = asked("kept lifetime", {});
  const { unmount } = show(question);
  await userEvent.click(screen.getByRole("button", { name: "Allow and remember…" }));
  fireEvent.mouseDown(screen.getByRole("combobox"));
  fireEvent.click(await screen.findByTitle("in an hour"));
  unmount();
  show(question);
  expect(card()).toContain("in an hour");
  expect(card()).not.toContain("until you revoke it");
});

test.each([
  ["execution", asked("composing", {}), /^Deny…/],
  ["result", request({ id: "composing result", subject: { about: "result", text: "x", data: null } }), /^Withhold…/],
] as const)("a key of an input method neither sends nor leaves: %s", async (_, question, button) => {
  show(question);
  await userEvent.click(screen.getByRole("button", { name: button }));
  const reason = screen.getByLabelText("Reason");
  for (const taken of [{ keyCode: 229 }, { keyCode: 13, isComposing: true }]) {
    fireEvent.keyDown(reason, { key: "Enter", ...taken });
    fireEvent.keyUp(reason, { key: "Enter" });
  }
  fireEvent.keyDown(reason, { key: "Escape", keyCode: 229 });
  expect(sent).toEqual([]);
  act(() => void fireEvent.keyDown(screen.getByLabelText("Reason"), { key: "Enter", keyCode: 13 }));
  await waitFor(() => expect(sent).toHaveLength(1));
});
