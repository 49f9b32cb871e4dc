import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { setRefused } from "../api/access";
import { App } from "../App";
import { FakeEventSource } from "../test/FakeEventSource";
import { Refusal, serve, show } from "../test/page";

// The frame is what is tested here, not what stands in it.
vi.mock("../conversation/ConversationView", () => ({ ConversationView: () => <p>the conversation</p> }));
const banner = vi.hoisted(() => ({ breaks: false }));
vi.mock("./ConnectionBanner", async (actual) => {
  const { ConnectionBanner } = await actual<typeof import("./ConnectionBanner")>();
  return {
    ConnectionBanner: () => {
      if (banner.breaks) throw new Error("the frame broke");
      return <ConnectionBanner />;
    },
  };
});

const about = {
  version: "1",
  user: { name: "ada", owner: true },
  here: true,
  workspaces: [],
  mode: "ask",
  language: "auto",
  model: "a/b",
  limits: { upload_bytes: 1, message_bytes: 1 },
  unavailable: [],
};

const table = {
  "GET about": () => about,
  "GET approvals": () => ({ approvals: [] }),
  "GET sessions": () => ({ total: 0, page: 1, page_size: 30, sessions: [] }),
};

const SESSION = "01a1de9b-e820-70ba-9121-3fa556ef43be";

const approval = (id: string) => ({
  id,
  session_id: SESSION,
  caller: "chat",
  tool: "write_file",
  subject: { about: "execution", plan: { summary: `Write ${id}.md` } },
});

beforeEach(() => {
  FakeEventSource.all = [];
  vi.stubGlobal("EventSource", FakeEventSource);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  setRefused(false);
});

function widthOf(phone: boolean): void {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: phone && query.includes("max-width"),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}

test("questions that wait are counted, and lead to their conversation", async () => {
  const user = userEvent.setup();
  serve(table);
  await show(<App />);
  act(() => {
    FakeEventSource.latest.open();
    FakeEventSource.latest.send("approvals", { pending: [approval("one"), approval("two")] });
  });
  await user.click(await screen.findByRole("button", { name: "2 approvals pending" }));
  await user.click(await screen.findByRole("button", { name: /Write two\.md/ }));
  expect(window.location.pathname).toBe(`/s/${SESSION}`);
  act(() => FakeEventSource.latest.send("approvals", { pending: [] }));
  expect(await screen.findByRole("button", { name: "No approvals pending" })).toBeTruthy();
});

test("a changed list of sessions is read again", async () => {
  const log = serve(table);
  await show(<App />);
  const reads = () => log.filter(({ path }) => path === "sessions").length;
  await waitFor(() => expect(reads()).toBe(1));
  act(() => FakeEventSource.latest.send("sessions", {}));
  await waitFor(() => expect(reads()).toBe(2));
});

test("a server that is gone is told, and a blink of it is not", async () => {
  serve(table);
  await show(<App />);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  act(() => FakeEventSource.latest.open());
  act(() => FakeEventSource.latest.fail());
  act(() => void vi.advanceTimersByTime(600));
  act(() => FakeEventSource.latest.open());
  act(() => void vi.advanceTimersByTime(2000));
  expect(screen.queryByText(/The server is gone/)).toBeNull();
  act(() => FakeEventSource.latest.fail());
  act(() => void vi.advanceTimersByTime(2000));
  expect(screen.getByText(/The server is gone/)).toBeTruthy();
  act(() => FakeEventSource.latest.open());
  expect(screen.queryByText(/The server is gone/)).toBeNull();
});

test("without a valid token the page says how to get in", async () => {
  const user = userEvent.setup();
  serve({ ...table, "GET about": () => new Refusal(401, "unauthorized", "no") });
  await show(<App />);
  expect(await screen.findByRole("heading", { name: "This page needs your token" })).toBeTruthy();
  expect(screen.getByText("deskhand serve")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Open" }).disabled).toBe(true);
  await user.type(screen.getByLabelText(/paste the token/), "http://127.0.0.1:1/?token=abc");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Open" }).disabled).toBe(false);
});

test("on a phone the sidebar is a drawer that closes when something was chosen", async () => {
  const user = userEvent.setup();
  widthOf(true);
  serve(table);
  await show(<App />);
  expect(screen.queryByRole("searchbox")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Open the sidebar" }));
  const drawer = await screen.findByRole("dialog");
  await user.click(within(drawer).getByRole("tab", { name: "Settings" }));
  await user.click(within(drawer).getByRole("link", { name: "API documentation" }));
  expect(window.location.pathname).toBe("/api-docs");
  expect(await screen.findByRole("button", { name: "Open the sidebar" })).toBeTruthy();
});

test("the sidebar can be put away, and stays away", async () => {
  const user = userEvent.setup();
  serve(table);
  const first = await show(<App />);
  await user.click(await screen.findByRole("button", { name: "Close the sidebar" }));
  expect(screen.queryByRole("searchbox")).toBeNull();
  first.unmount();
  await show(<App />);
  expect(screen.getByRole("button", { name: "Open the sidebar" })).toBeTruthy();
});

test("tabs of the sidebar follow the arrow keys", async () => {
  const user = userEvent.setup();
  serve(table);
  await show(<App />);
  await user.click(await screen.findByRole("tab", { name: "History" }));
  await user.keyboard("{ArrowRight}");
  expect(screen.getByRole("tab", { name: "Settings" }).getAttribute("aria-selected")).toBe("true");
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(screen.getByRole("tab", { name: "Files" }));
});

test("the language is switched without a reload, and kept", async () => {
  const user = userEvent.setup();
  serve(table);
  await show(<App />);
  await user.click(await screen.findByRole("button", { name: "Language" }));
  await user.click(await screen.findByRole("menuitem", { name: "简体中文" }));
  expect(await screen.findByRole("tab", { name: "历史" })).toBeTruthy();
  expect(document.documentElement.lang).toBe("zh-CN");
  expect(localStorage.getItem("deskhand.language")).toBe("zh");
});

test("the colours are switched, and kept", async () => {
  const user = userEvent.setup();
  serve(table);
  await show(<App />);
  await user.click(await screen.findByRole("button", { name: "Appearance" }));
  await user.click(await screen.findByRole("menuitem", { name: "Dark" }));
  expect(document.documentElement.dataset.theme).toBe("dark");
  expect(localStorage.getItem("deskhand.theme")).toBe("dark");
});

test("the first link leads past the sidebar", async () => {
  const user = userEvent.setup();
  serve(table);
  await show(<App />);
  await user.tab();
  expect(document.activeElement?.textContent).toBe("Skip to the content");
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

test("a browser that cannot show notifications keeps its page", async () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  const asked = vi.fn(function () {
    throw new TypeError("Illegal constructor");
  });
  vi.stubGlobal("Notification", Object.assign(asked, { permission: "granted" }));
  serve(table);
  await show(<App />);
  await screen.findByRole("button", { name: "No approvals pending" });
  act(() => FakeEventSource.latest.send("approvals", { pending: [approval("one\u202E")] }));
  expect(await screen.findByRole("button", { name: "1 approval pending" })).toBeTruthy();
  expect(asked).toHaveBeenCalledWith("Deskhand waits for your answer", { body: "Write one⟨U+202E⟩.md", tag: "one\u202E" });
  vi.restoreAllMocks();
});

test("a frame that breaks down leaves words and a way out", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  banner.breaks = true;
  serve(table);
  await show(<App />);
  expect(await screen.findByText("the frame broke")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Reload the page" })).toBeTruthy();
  banner.breaks = false;
  vi.restoreAllMocks();
});

test("a file that is dropped beside the place for it does not take the page away", async () => {
  serve(table);
  await show(<App />);
  const frame = await screen.findByRole("main");
  const carrying = (type: string) => ({ dataTransfer: { types: [type], files: [], dropEffect: "copy" } });
  // `fireEvent` is false where the browser's own act was prevented.
  expect(fireEvent.dragOver(frame, carrying("Files"))).toBe(false);
  expect(fireEvent.drop(frame, carrying("Files"))).toBe(false);
  expect(fireEvent.drop(frame, carrying("text/plain"))).toBe(true);
});
