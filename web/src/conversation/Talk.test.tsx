import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { App } from "antd";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { EventBody, Message, QueuedMessage, TurnState } from "../api/types";
import { LanguageProvider, loadLanguage } from "../i18n";
import { FakeEventSource } from "../test/FakeEventSource";
import { ConversationView } from "./ConversationView";
import { done, events, started, text } from "./events.testing";
import { readDraft } from "./sender/draft";

const first = await loadLanguage("en");
let messages: Message[] = [];
let turn: TurnState | null = null;
let lastEvent = 0;
let queued: QueuedMessage[] = [];
let posted: { path: string; body: unknown }[] = [];
let answerSend: () => Response | Promise<Response> = () => Response.json({ session_id: "s", turn_id: "turn-1", message_id: 7, first_event: 1 }, { status: 202 });

function answer(url: string, init: RequestInit): Promise<Response> {
  const path = url.replace("/api/v1/", "").split("?")[0] ?? "";
  if (init.method === "POST") {
    posted.push({ path, body: JSON.parse((init.body as string | undefined) ?? "{}") });
    return Promise.resolve(path === "sessions/s/messages" ? answerSend() : Response.json({ success: true }));
  }
  if (init.method === "PUT") {
    return Promise.resolve(Response.json({ error: { code: "conflict", message: "It is being sent.", hint: "Wait." } }, { status: 409 }));
  }
  const session = { id: "s", session_id: "s", title: "T", metadata: {}, last_event: lastEvent, turn, queued };
  const answers: Record<string, unknown> = {
    "sessions/s": session,
    "sessions/s/messages": { session_id: "s", total: messages.length, last_event: lastEvent, messages },
    "sessions/s/uploads": { uploads: [] },
    "sessions/s/changes": { changes: [] },
    models: { usual: "m", models: ["m"], providers: [], keyring: { available: true } },
    about: { model: "m", mode: "ask", modes: ["ask"], workspaces: ["/w"], user: { name: "owner", owner: true }, limits: { upload_bytes: 100 } },
  };
  return Promise.resolve(Response.json(answers[path] ?? {}));
}

beforeEach(() => {
  messages = [];
  turn = null;
  lastEvent = 0;
  queued = [];
  posted = [];
  answerSend = () => Response.json({ session_id: "s", turn_id: "turn-1", message_id: 7, first_event: 1 }, { status: 202 });
  FakeEventSource.all = [];
  vi.stubGlobal("EventSource", FakeEventSource);
  vi.stubGlobal("fetch", answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function open(): Promise<HTMLElement> {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <LanguageProvider first={first}>
        <App>
          <ConversationView sessionId="s" />
        </App>
      </LanguageProvider>
    </QueryClientProvider>,
  );
  const input = await screen.findByRole("textbox", { name: "Message" });
  await waitFor(() => expect(FakeEventSource.all).toHaveLength(1));
  return input;
}

async function happens(...bodies: EventBody[]): Promise<void> {
  await act(async () => {
    for (const event of events(...bodies)) FakeEventSource.latest.send(event.type, event, String(event.seq));
    await new Promise((resolve) => setTimeout(resolve, 60));
  });
}

test("what is written is sent, streamed, and in the end the stored message", async () => {
  const input = await open();
  fireEvent.change(input, { target: { value: "Do it" } });
  fireEvent.keyDown(input, { key: "Enter" });
  await waitFor(() => expect(posted).toEqual([{ path: "sessions/s/messages", body: { content: "Do it" } }]));
  await happens(started, text("Half an "));
  expect(await screen.findByText("Half an")).toBeTruthy();
  expect(screen.getByRole("button", { name: /Stop/ })).toBeTruthy();
  const shown = screen.getByRole("article", { name: "Deskhand" });
  messages = [
    { id: 7, session_id: "s", role: "user", content: "Do it", timestamp: "2026-01-01T00:00:00.000Z", metadata: {} },
    { id: 8, session_id: "s", role: "assistant", content: "Half an answer", timestamp: "2026-01-01T00:00:00.000Z", metadata: { turn_id: "turn-1", outcome: "completed", model: "m", usage: { input_tokens: 1, output_tokens: 2, cached_tokens: 0 } } },
  ];
  await happens(started, text("Half an "), text("answer"), done);
  // The very same element goes on as the stored message: nothing flickers.
  await waitFor(() => expect(shown.textContent).toContain("Half an answer"));
  await waitFor(() => expect(shown.textContent).toContain("tokens"));
  expect(screen.getAllByRole("article", { name: "Deskhand" })).toEqual([shown]);
  expect(screen.getAllByText("Do it")).toHaveLength(1);
  expect(screen.queryByRole("button", { name: /Stop/ })).toBeNull();
});

test("an answer that is finished between the reading of the messages and of the session is whole", async () => {
  const said: Message = { id: 7, session_id: "s", role: "user", content: "Do it", timestamp: "2026-01-01T00:00:00.000Z", metadata: {} };
  const begun: Message = { ...said, id: 8, role: "assistant", content: "", metadata: { turn_id: "turn-1" } };
  messages = [said, begun];
  lastEvent = 2;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    if (!url.endsWith("/sessions/s")) return answer(url, init);
    await screen.findByText("Do it");
    messages = [said, { ...begun, content: "A whole answer", metadata: { turn_id: "turn-1", outcome: "completed" } }];
    lastEvent = 5;
    return answer(url, init);
  });
  await open();
  expect(await screen.findByText("A whole answer")).toBeTruthy();
});

test("Enter that ends a Chinese word, or with Shift, sends nothing", async () => {
  const input = await open();
  fireEvent.change(input, { target: { value: "你好" } });
  fireEvent.keyDown(input, { key: "Enter", isComposing: true });
  fireEvent.keyDown(input, { key: "Enter", keyCode: 229 });
  fireEvent.keyDown(input, { key: "Enter", shiftKey: true });
  expect(posted).toEqual([]);
});

test.each([
  ["a turn runs already", { code: "busy", message: "A turn is under way." }, "A turn is still running in this conversation"],
  ["the key is refused", { code: "model_auth", message: "No." }, "The provider refused the key"],
])("if %s, the text is kept and the page says what to do", async (_, error, title) => {
  answerSend = () => Response.json({ error: { ...error, hint: null } }, { status: 409 });
  const input = await open();
  fireEvent.change(input, { target: { value: "Do it" } });
  fireEvent.keyDown(input, { key: "Enter" });
  expect(await screen.findByText(title)).toBeTruthy();
  expect((input as HTMLTextAreaElement).value).toBe("Do it");
  expect(readDraft("s")).toBe("Do it");
});

test("a draft is there again when the conversation is opened again", async () => {
  localStorage.setItem("deskhand.draft.s", "half a thought");
  expect(((await open()) as HTMLTextAreaElement).value).toBe("half a thought");
});

test("Esc leaves the field, so that the keys of a question count", async () => {
  const input = await open();
  input.focus();
  fireEvent.keyDown(input, { key: "Escape" });
  expect(document.activeElement).not.toBe(input);
});

test("Stop cancels the turn", async () => {
  await open();
  await happens(started);
  fireEvent.click(await screen.findByRole("button", { name: /Stop/ }));
  await waitFor(() => expect(posted).toEqual([{ path: "sessions/s/cancel", body: {} }]));
});

test("what was typed while a message failed stays, behind what could not be sent", async () => {
  let fail: () => void = () => undefined;
  answerSend = () =>
    new Promise<Response>((resolve) => {
      fail = () => resolve(Response.json({ error: { code: "model_auth", message: "No.", hint: null } }, { status: 409 }));
    });
  const input = await open();
  fireEvent.change(input, { target: { value: "first" } });
  fireEvent.keyDown(input, { key: "Enter" });
  await waitFor(() => expect(posted).toHaveLength(1));
  fireEvent.change(input, { target: { value: "second" } });
  fail();
  await waitFor(() => expect((input as HTMLTextAreaElement).value).toBe("first\n\nsecond"));
  expect(readDraft("s")).toBe("first\n\nsecond");
});

test("an order to pause ends with its turn", async () => {
  await open();
  await happens(started);
  fireEvent.click(await screen.findByRole("button", { name: "Pause before the next step" }));
  fireEvent.click(await screen.findByRole("button", { name: "Go on" }));
  await screen.findByRole("button", { name: "Pause before the next step" });
  turn = { turn_id: "turn-2", first_event: 1, user_message: 7, assistant_message: 8, state: "paused" };
  await happens(started, done);
  expect(await screen.findByRole("button", { name: "Go on" })).toBeTruthy();
});

test("a copy may end with any answer, and times are written as the page's language writes them", async () => {
  messages = [
    { id: 7, session_id: "s", role: "user", content: "Do it", timestamp: "2026-01-02T15:04:00", metadata: {} },
    { id: 8, session_id: "s", role: "assistant", content: "Done", timestamp: "2026-01-02T15:04:00", metadata: { turn_id: "t", outcome: "completed" } },
  ];
  // The browser's own language may be any.
  const written = vi.spyOn(Date.prototype, "toLocaleTimeString").mockImplementation((tag) => `time in ${String(tag)}`);
  await open();
  expect(await screen.findAllByText("time in en")).toHaveLength(2);
  written.mockRestore();
  fireEvent.click(screen.getByRole("button", { name: "Go on from here in a copy of the conversation" }));
  await waitFor(() => expect(posted).toEqual([{ path: "sessions/s/fork", body: { at_message: 8 } }]));
});

test("a broken answer stays, marked as incomplete, and is tried again without a second message", async () => {
  messages = [
    { id: 7, session_id: "s", role: "user", content: "Do it", timestamp: "2026-01-01T00:00:00.000Z", metadata: { turn_id: "t0" } },
    { id: 8, session_id: "s", role: "assistant", content: "Half an", timestamp: "2026-01-01T00:00:00.000Z", metadata: { turn_id: "t0", outcome: "failed", reason: "network: gone", incomplete: true } },
  ];
  await open();
  expect(await screen.findByText("This answer is incomplete: it broke off here.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(posted).toEqual([{ path: "sessions/s/retry", body: {} }]));
  await happens({ type: "turn_started", message: "Do it", message_id: 7, retry_of: 8 }, text("A whole answer"));
  expect(await screen.findByText("A whole answer")).toBeTruthy();
  expect(screen.getByText("Half an")).toBeTruthy();
  expect(screen.getAllByText("Do it")).toHaveLength(1);
});

test.each([
  ["that is still queued stays in its editor", true],
  ["that was sent during the edit goes to the message field", false],
])("what was written into a queued message %s when the change fails", async (_, isStillQueued) => {
  queued = [{ id: 3, content: "later", uploads: [], created_at: "2026-01-01T00:00:00.000Z", held: false }];
  const input = await open();
  fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
  const editor = screen.getByRole("textbox", { name: "Queued message" });
  fireEvent.change(editor, { target: { value: "later, but better" } });
  if (!isStillQueued) queued = [];
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("It is being sent. Wait.")).toBeTruthy();
  if (isStillQueued) {
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Queued message" }).value).toBe("later, but better");
  } else {
    await waitFor(() => expect((input as HTMLTextAreaElement).value).toBe("later, but better"));
  }
});
