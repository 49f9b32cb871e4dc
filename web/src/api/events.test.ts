import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { FakeEventSource } from "../test/FakeEventSource";
import { openSessionEvents, type Stream, type StreamState, waitBefore } from "./events";
import type { SessionEvent } from "./types";

let seen: number[];
let states: StreamState[];
let stream: Stream | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeEventSource);
  FakeEventSource.all = [];
  seen = [];
  states = [];
});

afterEach(() => {
  stream?.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(after: number): void {
  stream = openSessionEvents(
    "s/1",
    after,
    (event: SessionEvent) => seen.push(event.seq),
    (state) => states.push(state),
  );
}

const send = (seq: number) => FakeEventSource.latest.send("text", { seq, type: "text", text: "x" }, String(seq));

test("waits grow from half a second to ten", () => {
  expect([0, 1, 2, 3, 4, 5, 50].map(waitBefore)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test("a lost stream goes on behind the last event, without loss or doubles", () => {
  open(3);
  expect(FakeEventSource.latest.url).toBe("/api/v1/sessions/s%2F1/events?after=3");
  FakeEventSource.latest.open();
  send(4);
  send(5);
  FakeEventSource.latest.fail();
  expect(FakeEventSource.latest.readyState).toBe(FakeEventSource.CLOSED);
  vi.advanceTimersByTime(500);
  expect(FakeEventSource.all).toHaveLength(2);
  expect(FakeEventSource.latest.url).toContain("after=5");
  FakeEventSource.latest.open();
  send(5);
  send(6);
  expect(seen).toEqual([4, 5, 6]);
  expect(states).toEqual(["connecting", "open", "lost", "lost", "open"]);
});

test("each failure is waited for longer, and success starts anew", () => {
  open(0);
  for (const wait of [500, 1000, 2000]) {
    const before = FakeEventSource.all.length;
    FakeEventSource.latest.fail();
    vi.advanceTimersByTime(wait - 1);
    expect(FakeEventSource.all).toHaveLength(before);
    vi.advanceTimersByTime(1);
    expect(FakeEventSource.all).toHaveLength(before + 1);
  }
  FakeEventSource.latest.open();
  const before = FakeEventSource.all.length;
  FakeEventSource.latest.fail();
  vi.advanceTimersByTime(500);
  expect(FakeEventSource.all).toHaveLength(before + 1);
});

test("a stream that is closed stays closed", () => {
  open(0);
  FakeEventSource.latest.fail();
  stream?.close();
  vi.advanceTimersByTime(60_000);
  window.dispatchEvent(new Event("online"));
  expect(FakeEventSource.all).toHaveLength(1);
});

test("a network that is back is not waited for", () => {
  open(0);
  for (let i = 0; i < 6; i += 1) {
    FakeEventSource.latest.fail();
    vi.advanceTimersByTime(10_000);
  }
  FakeEventSource.latest.fail();
  const before = FakeEventSource.all.length;
  window.dispatchEvent(new Event("online"));
  expect(FakeEventSource.all).toHaveLength(before + 1);
});

test("a page that nobody looks at gives its connection back, and goes on where it was", () => {
  const hidden = vi.spyOn(document, "hidden", "get");
  open(0);
  FakeEventSource.latest.open();
  send(1);
  hidden.mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(1000);
  expect(FakeEventSource.latest.readyState).toBe(FakeEventSource.OPEN);
  vi.advanceTimersByTime(1500);
  expect(FakeEventSource.latest.readyState).toBe(FakeEventSource.CLOSED);
  window.dispatchEvent(new Event("online"));
  expect(FakeEventSource.all).toHaveLength(1);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(FakeEventSource.all).toHaveLength(2);
  expect(FakeEventSource.latest.url).toContain("after=1");
});

test("a glance at another tab costs nothing", () => {
  const hidden = vi.spyOn(document, "hidden", "get");
  open(0);
  FakeEventSource.latest.open();
  for (const value of [true, false]) {
    hidden.mockReturnValue(value);
    document.dispatchEvent(new Event("visibilitychange"));
    vi.advanceTimersByTime(1000);
  }
  vi.advanceTimersByTime(10_000);
  expect(FakeEventSource.all).toHaveLength(1);
  expect(FakeEventSource.latest.readyState).toBe(FakeEventSource.OPEN);
});

test("a tab that is opened in the background keeps no connection", () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  open(0);
  vi.advanceTimersByTime(2500);
  expect(FakeEventSource.latest.readyState).toBe(FakeEventSource.CLOSED);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(FakeEventSource.all).toHaveLength(2);
});
