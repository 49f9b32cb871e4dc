import { afterEach, expect, test } from "vitest";

import type { Message, Step } from "../api/types";
import { done, events, outcome, planned, started, text, thought } from "./events.testing";
import { forgetSeen, keepSeen, turnOf } from "./finished";
import { reduceAll, startOf } from "./live";
import { saidIn } from "./view";

afterEach(forgetSeen);

const call: Step = {
  type: "call", round: 1, call_id: "c1", model_call_id: "m", tool: "edit_file", arguments: { path: "notes.txt" },
  started_at: "2026-01-01T00:00:00.000Z",
  end: { status: "success", result: "Changed 1 line.", ended_at: "2026-01-01T00:00:01.000Z", duration_ms: 40, undo: "c1", full_output: "out:c1" },
};

function message(steps: Step[], more: Partial<Message> = {}): Message {
  return {
    id: 8, session_id: "s", role: "assistant", content: "Done.", timestamp: "2026-01-01T00:00:09.000Z",
    execution_steps: steps, metadata: { turn_id: "turn-1", outcome: "completed", model: "openai/gpt-5" }, ...more,
  };
}

const steps: Step[] = [{ type: "thought", round: 1, text: "Let me see." }, { type: "text", round: 1, text: "I will." }, call];

test("stored steps and live events give the same view", () => {
  const live = reduceAll(
    startOf(0),
    events(started, thought("Let me see."), text("I will."), planned("c1"), { type: "call_ended", outcome: outcome("c1") }, text("Done."), done),
  ).turn;
  const stored = turnOf(message(steps));
  expect(stored.items.map((item) => item.kind)).toEqual(live?.items.map((item) => item.kind));
  expect(saidIn(stored)).toBe("I will.\n\nDone.");
  expect(stored).toMatchObject({ turnId: live?.turnId, model: live?.model, outcome: live?.outcome });
});

test("a stored call has its result, and the handle of all of it", () => {
  const [, , item] = turnOf(message(steps)).items;
  expect(item).toMatchObject({
    kind: "call", tool: "edit_file", plan: null,
    outcome: { status: "success", text: "Changed 1 line.", durationMs: 40, undo: "c1", fullOutput: "out:c1", truncated: true },
  });
});

test("what was seen live of a call stays when the stored message takes its place", () => {
  const live = reduceAll(startOf(0), events(started, planned("c1"), { type: "call_ended", outcome: outcome("c1") }, done)).turn;
  if (live === null) throw new Error("no turn");
  keepSeen(live);
  expect(turnOf(message(steps)).items[2]).toMatchObject({ plan: { summary: "Change notes.txt" } });
});

test("a call without an end, empty texts and reminders", () => {
  const open: Step = { ...call, end: undefined } as unknown as Step;
  const turn = turnOf(message([{ type: "text", round: 1, text: " \n" }, { type: "nudge", round: 1, text: "Go on." }, open], { content: "" }));
  expect(turn.items.map((item) => item.kind)).toEqual(["notice", "call"]);
  expect(turn.items[1]).toMatchObject({ outcome: null });
});

test("why a turn failed is in its message", () => {
  const turn = turnOf(message([], { metadata: { outcome: "failed", reason: "auth: no" } }));
  expect(turn).toMatchObject({ outcome: "failed", reason: "auth: no" });
});
