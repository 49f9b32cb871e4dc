import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { SessionItem } from "../api/types";
import { currentRoute, navigate } from "../router";
import { type Asked, Refusal, serve, show } from "../test/page";
import { HistoryList } from "./HistoryList";

function session(id: string, title: string, more: Partial<SessionItem> = {}): SessionItem {
  const at = new Date().toISOString();
  return {
    id,
    session_id: id,
    title,
    title_locked: title !== "新会话",
    created_at: at,
    updated_at: at,
    message_count: 2,
    is_archived: false,
    metadata: {},
    ...more,
  };
}

let sessions: SessionItem[];
let log: Asked[];
const changes = () => log.filter(({ method }) => method !== "GET");

function list({ query }: Asked) {
  const found = sessions.filter((each) =>
    query.get("deleted") === "true"
      ? each.deleted_at !== undefined
      : each.deleted_at === undefined && String(each.is_archived) === query.get("archived"),
  );
  return { total: found.length, page: 1, page_size: 30, sessions: found };
}

beforeEach(() => {
  sessions = [session("a", "项目需求分析"), session("b", "新会话"), session("c", "Old", { is_archived: true })];
  log = serve({
    "GET sessions": list,
    "GET approvals": () => ({ approvals: [] }),
    "PUT sessions/a": ({ body }) => Object.assign(sessions[0] ?? {}, body),
    "POST sessions/a/archive": ({ body }) => {
      const { archived } = body as { archived: boolean };
      return Object.assign(sessions[0] ?? {}, { is_archived: archived });
    },
    "DELETE sessions/a": () => {
      Object.assign(sessions[0] ?? {}, { deleted_at: new Date().toISOString() });
      return { success: true };
    },
    "POST sessions/a/fork": () => session("copy", "Copy"),
    "POST sessions/a/restore": () => {
      delete sessions[0]?.deleted_at;
      return sessions[0];
    },
    "DELETE sessions/b": () => new Refusal(409, "busy", "a turn is under way"),
    "GET sessions/search": ({ query }) => ({
      items: [
        {
          session_id: "a",
          title: "项目需求分析",
          message_id: 7,
          role: "user",
          timestamp: new Date().toISOString(),
          snippet: `看看⟪${query.get("q") ?? ""}⟫文档`,
        },
      ],
      has_more: false,
    }),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

async function choose(user: ReturnType<typeof userEvent.setup>, title: string, action: string) {
  await user.click(await screen.findByRole("button", { name: `Actions for ${title}` }));
  await user.click(await screen.findByRole("menuitem", { name: new RegExp(action) }));
}

test("sessions are listed, one without a title in the language of the page, archived ones apart", async () => {
  await show(<HistoryList current="a" />);
  const first = await screen.findByRole("link", { name: /项目需求分析/ });
  expect(first.getAttribute("aria-current")).toBe("page");
  expect(first.getAttribute("href")).toBe("/s/a");
  expect(screen.getByRole("link", { name: /New conversation/ })).toBeTruthy();
  expect(screen.queryByText("Old")).toBeNull();
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: /Active/ }));
  await user.click(await screen.findByRole("menuitem", { name: "Archived" }));
  expect(await screen.findByText("Old")).toBeTruthy();
});

test("a session is renamed by Enter and not by Escape", async () => {
  const user = userEvent.setup();
  await show(<HistoryList current={undefined} />);
  await choose(user, "项目需求分析", "Rename");
  await user.clear(await screen.findByRole("textbox", { name: "Title" }));
  await user.type(screen.getByRole("textbox", { name: "Title" }), "Nothing{Escape}");
  expect(changes()).toEqual([]);
  await choose(user, "项目需求分析", "Rename");
  await user.clear(await screen.findByRole("textbox", { name: "Title" }));
  await user.type(screen.getByRole("textbox", { name: "Title" }), "计划{Enter}");
  expect(await screen.findByRole("link", { name: /计划/ })).toBeTruthy();
  expect(changes()).toMatchObject([{ method: "PUT", path: "sessions/a", body: { title: "计划" } }]);
});

test("what is archived leaves the list, and comes back by undo", async () => {
  const user = userEvent.setup();
  await show(<HistoryList current={undefined} />);
  await choose(user, "项目需求分析", "Archive");
  await waitFor(() => expect(screen.queryByRole("link", { name: /项目需求分析/ })).toBeNull());
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("link", { name: /项目需求分析/ })).toBeTruthy();
});

test("delete asks, deletes softly, leaves the page of the session, and can be undone", async () => {
  const user = userEvent.setup();
  navigate({ name: "session", id: "a" });
  await show(<HistoryList current="a" />);
  await choose(user, "项目需求分析", "Delete");
  expect(changes()).toEqual([]);
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(window.location.pathname).toBe("/"));
  expect(changes()[0]?.query.get("soft")).toBe("true");
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("link", { name: /项目需求分析/ })).toBeTruthy();
});

test("a session that is busy is not deleted, and the reason is told", async () => {
  const user = userEvent.setup();
  await show(<HistoryList current={undefined} />);
  await choose(user, "New conversation", "Delete");
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
  expect(await screen.findByText(/An answer is being written there/)).toBeTruthy();
  expect(screen.getByRole("link", { name: /New conversation/ })).toBeTruthy();
});

test("search asks the server and leads to the message", async () => {
  const user = userEvent.setup();
  await show(<HistoryList current={undefined} />, "zh");
  await user.type(screen.getByRole("searchbox"), "需求");
  const hit = await screen.findByRole("link", { name: /看看/ });
  expect(hit.getAttribute("href")).toBe("/s/a?message=7");
  expect(within(hit).getByText("需求").tagName).toBe("MARK");
  expect(log.filter(({ path }) => path === "sessions/search").map(({ query }) => query.get("q"))).toEqual(["需求"]);
});

test("a server that is gone is told in words, with a way to try again", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await show(<HistoryList current={undefined} />);
  expect(await screen.findByText("The server cannot be reached.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});

test("a conversation is copied whole, and the copy is opened", async () => {
  const user = userEvent.setup();
  await show(<HistoryList current={undefined} />);
  await choose(user, "项目需求分析", "Copy the conversation");
  await waitFor(() => expect(currentRoute()).toMatchObject({ name: "session", id: "copy" }));
  expect(changes()).toMatchObject([{ path: "sessions/a/fork", body: {} }]);
});

test("what nobody sees in a title is shown, and not written into it", async () => {
  const user = userEvent.setup();
  Object.assign(sessions[0] ?? {}, { title: "a\u202Eb" });
  await show(<HistoryList current={undefined} />);
  expect(await screen.findByText("a⟨U+202E⟩b")).toBeTruthy();
  await choose(user, "a⟨U\\+202E⟩b".replace("\\", ""), "Rename");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Title" }).value).toBe("a\u202Eb");
});

test("keys of an input method end neither a title nor a search", async () => {
  const user = userEvent.setup();
  await show(<HistoryList current={undefined} />);
  const search = screen.getByRole<HTMLInputElement>("searchbox");
  fireEvent.change(search, { target: { value: "xuqiu" } });
  fireEvent.keyDown(search, { key: "Escape", keyCode: 229 });
  expect(search.value).toBe("xuqiu");
  fireEvent.keyDown(search, { key: "Escape", keyCode: 27 });
  expect(search.value).toBe("");
  await choose(user, "项目需求分析", "Rename");
  const title = screen.getByRole("textbox", { name: "Title" });
  fireEvent.keyDown(title, { key: "Enter", keyCode: 229 });
  fireEvent.keyDown(title, { key: "Escape", keyCode: 229 });
  expect(screen.getByRole("textbox", { name: "Title" })).toBe(title);
});
