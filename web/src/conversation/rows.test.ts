import { describe, expect, test } from "vitest";

import { ApiError } from "../api/client";
import type { Message, TurnState } from "../api/types";
import { done, events, started, text } from "./events.testing";
import { failureOf, sendFailure } from "./failure";
import { reduceAll, startOf } from "./live";
import { hasArrived, rowsOf } from "./rows";
import { startAfter } from "./useLive";
import { joined, withEarlier } from "./useMessages";

function message(id: number, role: Message["role"], more: Partial<Message> = {}): Message {
  return { id, session_id: "s", role, content: `m${id}`, timestamp: "2026-01-01T00:00:00.000Z", metadata: {}, ...more };
}

const user = message(7, "user");
const empty = message(8, "assistant", { content: "", metadata: { turn_id: "turn-1" } });
const answered = message(8, "assistant", { content: "Hello", metadata: { turn_id: "turn-1", outcome: "completed" } });
const running = reduceAll(startOf(0), events(started, text("Hel")));
const over = reduceAll(startOf(0), events(started, text("Hello"), done));
const state: TurnState = { turn_id: "turn-1", first_event: 1, user_message: 7, assistant_message: 8, state: "running" };

describe("the turn that runs stands in the place of its message", () => {
  test("in the place of the empty one, once", () => {
    const rows = rowsOf([user, empty], running, state, null);
    expect(rows.map((row) => [row.kind, row.key])).toEqual([["user", "m7"], ["assistant", "tturn-1"]]);
    expect(rows[1]).toMatchObject({ running: true, last: true, turn: running.turn });
  });

  test("before the messages have it, with what was said", () => {
    const rows = rowsOf([], running, null, null);
    expect(rows.map((row) => row.key)).toEqual(["m7", "tturn-1"]);
    expect(rows[0]).toMatchObject({ kind: "user", text: "Do it", id: 7 });
  });

  test("it stays until the stored message has come, and keeps its key", () => {
    const before = rowsOf([user, empty], over, null, null);
    const after = rowsOf([user, answered], over, null, null);
    expect(before[1]).toMatchObject({ turn: over.turn, running: false });
    expect(after.map((row) => row.key)).toEqual(before.map((row) => row.key));
    expect(after[1]).toMatchObject({ running: false, message: answered });
  });

  test("a stored turn is made once", () => {
    const [first, second] = [rowsOf([answered], startOf(0), null, null)[0], rowsOf([answered], startOf(0), null, null)[0]];
    expect(first?.kind === "assistant" && second?.kind === "assistant" && first.turn === second.turn).toBe(true);
  });

  test("before its first event it is at work already", () => {
    expect(rowsOf([user, empty], startOf(0), state, null)[1]).toMatchObject({ running: true, turn: { outcome: null, items: [] } });
  });

  test("what is on its way stands at the end", () => {
    const rows = rowsOf([user, answered], startOf(0), null, { text: "next", uploads: ["u"], after: 0, id: null });
    expect(rows.at(-1)).toMatchObject({ kind: "user", key: "outgoing", id: null, uploads: ["u"] });
  });
});

describe("pages of messages", () => {
  const page = (...ids: number[]) => ({ session_id: "s", total: 9, last_event: 0, messages: ids.map((id) => message(id, "user")) });
  const known = (...ids: number[]) => ({ total: 9, lastEvent: 0, messages: ids.map((id) => message(id, "user")) });
  const ids = (list: { messages: readonly Message[] }) => list.messages.map((one) => one.id);

  test.each([
    ["the newest page takes the place of what it covers", known(3, 4, 5), page(4, 5, 6), [3, 4, 5, 6]],
    ["a gap is not shown as if it were none", known(1, 2), page(5, 6), [5, 6]],
    ["nothing known", undefined, page(1), [1]],
    ["nothing left", known(1), page(), []],
  ])("%s", (_, before, newest, expected) => {
    expect(ids(joined(before, newest))).toEqual(expected);
  });

  test("earlier ones go before, none twice", () => {
    expect(ids(withEarlier(known(4, 5), page(2, 3, 4)))).toEqual([2, 3, 4, 5]);
  });
});

test("the stream begins where the stored messages end", () => {
  const detail = { last_event: 40, turn: null } as Parameters<typeof startAfter>[0];
  expect(startAfter(detail)).toBe(40);
  expect(startAfter({ ...detail, turn: { ...state, first_event: 12 } })).toBe(11);
});

describe("failures by what to do about them", () => {
  test.each([
    ["auth: The key was refused.", "settings", "The key was refused."],
    ["rate_limited: Slow down.", "wait", "Slow down."],
    ["too_long: Too many tokens.", "compact", "Too many tokens."],
    ["no_such_model: gone", "model", "gone"],
    ["something: else", "retry", "something: else"],
    [null, "retry", ""],
  ])("a turn: %s", (reason, remedy, said) => {
    expect(failureOf(reason)).toEqual({ remedy, message: said });
  });

  test.each([
    [new ApiError(409, "busy", "A turn runs.", "Wait."), { remedy: "busy", message: "A turn runs. Wait." }],
    [new ApiError(409, "model_auth", "No key."), { remedy: "settings", message: "No key." }],
    [new ApiError(409, "model_server", "529"), { remedy: "wait", message: "529" }],
    [new ApiError(0, "server_gone", "x"), null],
    [new Error("x"), null],
  ])("sending: %s", (error, expected) => {
    expect(sendFailure(error)).toEqual(expected);
  });
});

test.each([
  ["nothing has come yet", null, 6, [], null, false],
  ["the event was first", null, 6, [], { id: 7, text: "again", at: "" }, true],
  ["the messages were first", null, 6, [message(7, "user", { content: "again" })], null, true],
  ["the server wrote it otherwise", 7, 6, [message(7, "user", { content: "Again." })], null, true],
  ["the same was said before", null, 6, [message(5, "user", { content: "again" })], { id: 5, text: "again", at: "" }, false],
])("what was sent stands there once: %s", (_, id, after, messages, said, arrived) => {
  expect(hasArrived({ text: "again", uploads: [], after, id }, messages, said)).toBe(arrived);
});
