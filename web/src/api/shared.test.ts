import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { FakeBroadcastChannel, FakeLocks } from "../test/FakeTabs";
import type { Stream } from "./events";
import { openShared } from "./shared";

interface Tab {
  heard: string[];
  close: () => void;
}

let locks: FakeLocks;
let streams: { tab: string; tell: (message: string) => void }[];

beforeEach(() => {
  streams = [];
  FakeBroadcastChannel.all = [];
  vi.stubGlobal("BroadcastChannel", FakeBroadcastChannel);
  locks = new FakeLocks();
  Object.defineProperty(navigator, "locks", { configurable: true, value: locks });
});

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "locks");
});

function openTab(name: string): Tab {
  const heard: string[] = [];
  const shared: Stream = openShared<string>({
    name: "x",
    onMessage: (message) => heard.push(message),
    catchUp: () => [`now: ${heard.at(-1) ?? ""}`],
    open: (tell) => {
      const stream = { tab: name, tell };
      streams.push(stream);
      return { close: () => (streams = streams.filter((each) => each !== stream)) };
    },
  });
  return { heard, close: () => shared.close() };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const holders = () => streams.map(({ tab }) => tab);

test("the newest tab holds the only stream, and all hear the same", async () => {
  const a = openTab("a");
  const b = openTab("b");
  await settle();
  expect(holders()).toEqual(["b"]);
  streams[0]?.tell("one");
  expect([a.heard, b.heard]).toEqual([["one"], ["one"]]);
  a.close();
  b.close();
});

test("when the tab with the stream goes, another takes over", async () => {
  const a = openTab("a");
  const b = openTab("b");
  await settle();
  b.close();
  await settle();
  expect(holders()).toEqual(["a"]);
  a.close();
  await settle();
  expect(holders()).toEqual([]);
});

test("a hidden tab waits its turn and is told what it missed", async () => {
  const a = openTab("a");
  await settle();
  streams[0]?.tell("one");
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  const b = openTab("b");
  await settle();
  expect(holders()).toEqual(["a"]);
  expect(b.heard).toEqual(["now: one"]);
  a.close();
  b.close();
});

test("the tab that is looked at takes the stream", async () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  const a = openTab("a");
  const b = openTab("b");
  await settle();
  expect(holders()).toEqual(["a"]);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(holders()).toEqual(["b"]);
  for (let i = 0; i < 5; i += 1) {
    document.dispatchEvent(new Event("visibilitychange"));
    await settle();
  }
  expect(locks.waitingFor("x")).toBe(1);
  a.close();
  b.close();
});

test("a browser without locks has a stream for each tab", () => {
  Reflect.deleteProperty(navigator, "locks");
  const a = openTab("a");
  const b = openTab("b");
  expect(holders()).toEqual(["a", "b"]);
  a.close();
  b.close();
});
