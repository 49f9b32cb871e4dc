import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "antd";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ApprovalRequest, Settled } from "../../api/types";
import { LanguageProvider, loadLanguage } from "../../i18n";
import { plan, request } from "../events.testing";
import { ApprovalCard } from "./ApprovalCard";

const first = await loadLanguage("en");
const yes: Settled = { settled: "answered", answer: { to: "execution", answer: "yes" }, by: "person:web" };

let sent: { url: string; body: unknown }[] = [];

function answering(result: unknown): void {
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    sent.push({ url, body: JSON.parse(init.body as string) });
    return Promise.resolve(new Response(JSON.stringify(result), { status: 200 }));
  });
}

beforeEach(() => {
  sent = [];
  vi.useFakeTimers({ shouldAdvanceTime: true });
  answering({ accepted: true, settled: yes });
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 100, 600, 300));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function show(question: ApprovalRequest): void {
  render(
    <LanguageProvider first={first}>
      <App>
        <ApprovalCard request={question} />
        <textarea aria-label="elsewhere" />
      </App>
    </LanguageProvider>,
  );
  // Keys count only after a moment.
  act(() => void vi.advanceTimersByTime(1000));
}

const user = () => userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

test("the plan is told in words", () => {
  show(request({ id: "words", subject: { about: "execution", plan: { ...plan, notes: ["It shrinks."], hosts: ["example.com"], undo: { no: "it is sent" } } } }));
  for (const text of ["Change notes.txt", "It writes inside the workspace.", "It shrinks.", "example.com", "cannot be undone: it is sent", "moderate"]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
});

test("a allows this one call and nothing more", async () => {
  show(request({ id: "once" }));
  fireEvent.keyDown(document.body, { key: "a" });
  await waitFor(() => expect(sent).toEqual([{ url: "/api/v1/approvals/once", body: { answer: "yes" } }]));
  expect(await screen.findByText("Allowed by you on this page.")).toBeTruthy();
});

test("keys that are typed into a field, held, or pressed with others answer nothing", () => {
  show(request({ id: "typed" }));
  fireEvent.keyDown(screen.getByLabelText("elsewhere"), { key: "a" });
  fireEvent.keyDown(document.body, { key: "a", ctrlKey: true });
  fireEvent.keyDown(document.body, { key: "a", repeat: true });
  expect(sent).toEqual([]);
});

test("a key in the first moment answers nothing", () => {
  render(
    <LanguageProvider first={first}>
      <App>
        <ApprovalCard request={request({ id: "soon" })} />
      </App>
    </LanguageProvider>,
  );
  fireEvent.keyDown(document.body, { key: "a" });
  expect(sent).toEqual([]);
});

test("d asks for a reason and sends it", async () => {
  show(request({ id: "deny" }));
  fireEvent.keyDown(document.body, { key: "d" });
  const reason = screen.getByLabelText("Reason");
  expect(document.activeElement).toBe(reason);
  await user().type(reason, "use the other file{Enter}");
  await waitFor(() => expect(sent[0]?.body).toEqual({ answer: "no", reason: "use the other file" }));
});

test("a yes is remembered in the words that were shown", async () => {
  show(request({ id: "keep" }));
  await user().click(screen.getByRole("button", { name: /Allow and remember…/ }));
  await user().click(screen.getByRole("radio", { name: "edit_file on anything in the folder /w" }));
  await user().click(screen.getByRole("radio", { name: "This workspace" }));
  expect(screen.getByText("Runs without asking in every conversation in the workspace /w: edit_file on anything in the folder /w, until you revoke it.")).toBeTruthy();
  await user().click(screen.getByRole("button", { name: "Allow and remember" }));
  await waitFor(() =>
    expect(sent[0]?.body).toEqual({ answer: "yes", remember: { scope: "workspace", shape: { kind: "folder", path: "/w" }, until: null } }),
  );
});

test("where no yes may be remembered, none is offered", () => {
  show(request({ id: "sensitive", may_remember: false }));
  expect(screen.queryByRole("button", { name: /remember/i })).toBeNull();
});

test("e edits the arguments", async () => {
  show(request({ id: "edit" }));
  fireEvent.keyDown(document.body, { key: "e" });
  const field = screen.getByLabelText("path");
  await user().clear(field);
  await user().type(field, "other.txt");
  await user().click(screen.getByRole("button", { name: "Use these arguments" }));
  await waitFor(() => expect(sent[0]?.body).toEqual({ answer: "edit", arguments: { path: "other.txt" } }));
});

test("an answer that came too late says who was first", async () => {
  answering({ accepted: false, settled: { ...yes, by: "person:terminal" } });
  show(request({ id: "late" }));
  fireEvent.keyDown(document.body, { key: "a" });
  expect(await screen.findByText("Answered elsewhere. Allowed by you in the terminal.")).toBeTruthy();
});

test("a result is shown exactly, and may be edited or withheld", async () => {
  const text = "phone: 555\n  indented";
  show(request({ id: "result", subject: { about: "result", text, data: null } }));
  expect(screen.getByLabelText("Result").textContent).toBe(text);
  fireEvent.keyDown(document.body, { key: "e" });
  const area = screen.getByLabelText("Result");
  await user().clear(area);
  await user().type(area, "phone: hidden");
  await user().click(screen.getByRole("button", { name: "Pass on the edited text" }));
  await waitFor(() => expect(sent[0]?.body).toEqual({ answer: "edit", text: "phone: hidden" }));
});

test("pictures in a result are seen before they are passed on", () => {
  const images = [{ mime: "image/png", base64: "iVBORw0KGgo=" }];
  show(request({ id: "picture", tool: "screenshot", subject: { about: "result", text: "1×1", data: null, images } }));
  expect(screen.getByAltText("Picture from screenshot").getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
  fireEvent.keyDown(document.body, { key: "e" });
  expect(screen.queryByAltText("Picture from screenshot")).toBeNull();
});

test("d withholds a result, with the reason", async () => {
  show(request({ id: "withhold", subject: { about: "result", text: "secret", data: null } }));
  fireEvent.keyDown(document.body, { key: "d" });
  await user().type(screen.getByLabelText("Reason"), "private{Enter}");
  await waitFor(() => expect(sent[0]?.body).toEqual({ answer: "withhold", reason: "private" }));
});
