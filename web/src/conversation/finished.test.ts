import { afterEach, expect, test } from "vitest";

import type { CallEnd, Message, Step } from "../api/types";
import { done, events, outcome, planned, request, started, text, thought } from "./events.testing";
import { forgetSeen, keepSeen, turnOf } from "./finished";
import { reduceAll, startOf } from "./live";
import { saidIn } from "./view";

afterEach(forgetSeen);

const end: CallEnd = {
  status: "success", result: "Changed 1 line.", ended_at: "2026-01-01T00:00:01.000Z", duration_ms: 40, undo: "c1", full_output: "out:c1",
};
const call: Step = {
  type: "call", round: 1, call_id: "c1", model_call_id: "m", tool: "edit_file", arguments: { path: "notes.txt" },
  started_at: "2026-01-01T00:00:00.000Z", end,
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

test("what the events tell of a call is shown as a page that watched it showed it; pictures come from the step", () => {
  const images = [{ mime: "image/png", base64: "AAAA" }];
  const seen = events(
    planned("c1"),
    { type: "approval_wanted", request: request() },
    { type: "approval_settled", approval_id: "q1", call_id: "c1", settled: { settled: "answered", answer: { to: "execution", answer: "yes" }, by: "person:web" } },
    { type: "call_ended", outcome: outcome("c1", { data: [{ a: 1, b: 2 }] }) },
  );
  const withImages: Step = { ...call, end: { ...end, images } };
  const [item] = turnOf(message([withImages], { call_events: seen })).items;
  const live = reduceAll(startOf(0), seen).turn?.items[0];
  if (live?.kind !== "call" || live.outcome === null) throw new Error("no call");
  expect(item).toEqual({ ...live, outcome: { ...live.outcome, images } });
  expect(item).toMatchObject({ plan: { summary: "Change notes.txt" }, outcome: { decidedBy: "person:web" } });
});

test("a call that was cut off keeps its plan", () => {
  const cut: Step = { ...call, end: { ...end, status: "cancelled", result: "interrupted" } };
  const [item] = turnOf(message([cut], { call_events: events(planned("c1")) })).items;
  expect(item).toMatchObject({ plan: { summary: "Change notes.txt" }, outcome: { status: "cancelled", text: "interrupted" } });
});

test("a call without an end, empty texts and reminders", () => {
  const open: Step = { ...call, end: undefined };
  const turn = turnOf(message([{ type: "text", round: 1, text: " \n" }, { type: "nudge", round: 1, text: "Go on." }, open], { content: "" }));
  expect(turn.items.map((item) => item.kind)).toEqual(["notice", "call"]);
  expect(turn.items[1]).toMatchObject({ outcome: null });
});

test("why a turn failed is in its message", () => {
  const turn = turnOf(message([], { metadata: { outcome: "failed", reason: "auth: no" } }));
  expect(turn).toMatchObject({ outcome: "failed", reason: "auth: no" });
});
