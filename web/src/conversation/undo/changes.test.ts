import { expect, test } from "vitest";

import type { SessionChange } from "../../api/types";
import { numbered, outcome } from "../events.testing";
import { expiredCalls } from "../expired";
import { reduceAll, startOf } from "../live";
import type { Row } from "../rows";
import { changesOf } from "./changes";

const change = (call_id: string, turn_id: string, paths: string[], more: Partial<SessionChange> = {}): SessionChange => ({
  call_id, turn_id, tool: "write_file", summary: "", paths, undone: false, ...more,
});

test("the changes of a turn are counted by file; its own undo is none of them", () => {
  const all = [
    change("1", "t", ["/w/a"]),
    change("2", "t", ["/w/a", "/w/b"], { undone: true, undone_by: "9" }),
    change("3", "other", ["/w/c"]),
    change("4", "t", ["/w/d"], { undone: true, undone_by: "5" }),
    change("5", "t", ["/w/d"], { tool: "undo" }),
  ];
  expect(changesOf("t", all)).toEqual({ files: ["/w/a", "/w/b", "/w/d"], open: ["/w/a"], changes: 3, undone: 2 });
  expect(changesOf("none", all)).toBeNull();
  expect(changesOf(null, all)).toBeNull();
});

test("a call that was made again since is not expired any more", () => {
  const row = (turn: string, ids: string[], status: "expired" | "success"): Row => {
    const bodies = ids.map((id) => ({ type: "call_ended" as const, outcome: outcome(id, { status }) }));
    const view = reduceAll(startOf(0), numbered(turn, 1, bodies)).turn;
    if (view === null) throw new Error("no turn");
    return { kind: "assistant", key: turn, message: null, turn: view, running: false, last: false };
  };
  expect([...expiredCalls([row("1", ["a"], "expired")])]).toEqual(["a"]);
  expect([...expiredCalls([row("1", ["a"], "expired"), row("2", ["b"], "expired")])]).toEqual(["b"]);
  expect([...expiredCalls([row("1", ["a"], "expired"), row("2", ["b"], "success")])]).toEqual([]);
});
