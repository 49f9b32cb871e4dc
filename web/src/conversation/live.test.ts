import { describe, expect, test } from "vitest";

import type { EventBody, Plan, SessionEvent } from "../api/types";
import { done, events, numbered, outcome, plan, planned, request, started, text, thought } from "./events.testing";
import { type LiveState, reduce, reduceAll, startOf } from "./live";
import { type CallItem, pendingOf } from "./view";

function after(...bodies: EventBody[]): LiveState {
  return reduceAll(startOf(0), events(...bodies));
}

function callIn(state: LiveState, id: string): CallItem {
  const found = state.turn?.items.find((item) => item.kind === "call" && item.callId === id);
  if (found?.kind !== "call") throw new Error(`no call ${id}`);
  return found;
}

const ended = (id: string, more = {}): EventBody => ({ type: "call_ended", outcome: outcome(id, more) });
const output = (id: string, printed: string, far: number | null = null): EventBody => ({
  type: "call_output",
  call_id: id,
  progress: { text: printed, done: far, total: null },
});
const settled: EventBody = {
  type: "approval_settled",
  approval_id: "q1",
  call_id: "c1",
  settled: { settled: "answered", answer: { to: "execution", answer: "yes" }, by: "person:terminal" },
};

/** One of everything, in the order of a real turn. */
const WHOLE = events(
  started,
  thought("Let me "),
  thought("see."),
  text("I will change it."),
  planned("c1"),
  { type: "approval_wanted", request: request() },
  settled,
  output("c1", "line 1\n"),
  output("c1", "line 2\n"),
  ended("c1"),
  { type: "notice", text: "Careful." },
  text("Done"),
  text("."),
  { type: "usage", input_tokens: 10, output_tokens: 2, cached_tokens: 1 },
  { type: "usage", input_tokens: 5, output_tokens: 1, cached_tokens: 0, cost: 0.5 },
  done,
);

const asks = (asked: Plan): EventBody => ({ type: "approval_wanted", request: request({ subject: { about: "execution", plan: asked } }) });

test("what is only for whoever is asked is there while they are asked, and not after", () => {
  const typed: Plan = { ...plan, preview: { kind: "text", text: "what is typed" }, private_preview: true };
  const asked = callIn(after(started, planned("c1"), asks(typed)), "c1");
  expect(pendingOf(asked)?.request.subject).toMatchObject({ plan: { preview: typed.preview } });
  expect(JSON.stringify(asked.plan)).not.toContain("what is typed");
  const answered = after(started, planned("c1"), asks(typed), settled);
  expect(JSON.stringify(answered)).not.toContain("what is typed");
  expect(callIn(answered, "c1").plan?.summary).toBe(plan.summary);
  const subject = { about: "result" as const, text: "a result", data: { content: "a result" }, images: [{ mime: "image/png", base64: "a result" }] };
  const result: EventBody = { type: "approval_wanted", request: request({ subject }) };
  expect(pendingOf(callIn(after(started, planned("c1"), result), "c1"))?.request.subject).toEqual(subject);
  expect(JSON.stringify(after(started, planned("c1"), result, settled))).not.toContain("a result");
});

test("a preview for everybody stays", () => {
  const shown: Plan = { ...plan, preview: { kind: "diff", text: "-a\n+b" } };
  expect(callIn(after(started, planned("c1"), asks(shown), settled), "c1").plan?.preview).toEqual(shown.preview);
});

test("a whole turn, in its order", () => {
  const { turn, said, seq } = reduceAll(startOf(0), WHOLE);
  expect(seq).toBe(16);
  expect(said).toEqual({ id: 7, text: "Do it", at: WHOLE[0]?.at });
  expect(turn?.items.map((item) => item.kind)).toEqual(["thought", "text", "call", "notice", "text"]);
  expect(turn).toMatchObject({
    turnId: "turn-1",
    model: "openai/gpt-5",
    outcome: "completed",
    usage: { input_tokens: 15, output_tokens: 3, cached_tokens: 1, cost: 0.5 },
  });
  expect(turn?.items[0]).toMatchObject({ text: "Let me see.", open: false, ms: 2000 });
  expect(turn?.items[4]).toMatchObject({ text: "Done.", open: false });
});

test("a call has its plan, its question and answer, its output and its end", () => {
  const call = callIn(reduceAll(startOf(0), WHOLE), "c1");
  expect(call).toMatchObject({ tool: "edit_file", output: "line 1\nline 2\n", decision: "ask", permission: "moderate" });
  expect(call.plan?.summary).toBe("Change notes.txt");
  expect(call.approvals).toHaveLength(1);
  expect(call.approvals[0]?.settled).toMatchObject({ by: "person:terminal" });
  expect(call.outcome).toMatchObject({ status: "success", undo: "c1", durationMs: 40, decidedBy: "person:web" });
});

describe("each event counts once", () => {
  test.each(WHOLE.map((_, index) => index))("a stream that begins anew behind event %i", (index) => {
    const once = reduceAll(startOf(0), WHOLE);
    const before = reduceAll(startOf(0), WHOLE.slice(0, index));
    const twice = reduceAll(reduceAll(before, WHOLE.slice(0, index)), WHOLE);
    expect(twice).toEqual(once);
  });

  test("an event that was seen changes nothing at all", () => {
    const state = reduceAll(startOf(0), WHOLE);
    for (const event of WHOLE) expect(reduce(state, event)).toBe(state);
  });
});

test("nothing that is in a state is changed by what follows", () => {
  const frozen = (value: unknown): void => {
    if (value === null || typeof value !== "object" || Object.isFrozen(value)) return;
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  };
  let state = startOf(0);
  for (const event of WHOLE) {
    frozen(state);
    state = reduce(state, event);
  }
  expect(state.turn?.outcome).toBe("completed");
});

test("a question waits until it is settled or its call has ended", () => {
  const asked: EventBody[] = [started, planned("c1"), { type: "approval_wanted", request: request() }];
  expect(pendingOf(callIn(after(...asked), "c1"))?.request.id).toBe("q1");
  expect(pendingOf(callIn(after(...asked, settled), "c1"))).toBeNull();
  expect(pendingOf(callIn(after(...asked, ended("c1", { status: "cancelled" })), "c1"))).toBeNull();
});

test("arguments that were edited are asked about anew, at the same call", () => {
  const again = request({ id: "q2", arguments: { path: "other.txt" } });
  const state = after(
    started,
    planned("c1"),
    { type: "approval_wanted", request: request() },
    { ...settled, settled: { settled: "answered", answer: { to: "execution", answer: "edit", arguments: {} }, by: "me" } },
    { type: "approval_wanted", request: again },
  );
  const call = callIn(state, "c1");
  expect(call.approvals.map((approval) => approval.request.id)).toEqual(["q1", "q2"]);
  expect(call.arguments).toEqual({ path: "other.txt" });
  expect(pendingOf(call)?.request.id).toBe("q2");
});

test("the result's question does not take the plan away", () => {
  const result = request({ id: "q2", subject: { about: "result", text: "secret", data: null } });
  const call = callIn(after(started, planned("c1"), { type: "approval_wanted", request: result }), "c1");
  expect(call.plan?.summary).toBe("Change notes.txt");
});

test("a call that was never planned is shown all the same", () => {
  const state = after(started, ended("c9", { tool: "no_such", status: "not_found" }));
  expect(callIn(state, "c9")).toMatchObject({ tool: "no_such", plan: null, outcome: { status: "not_found" } });
});

test("calls that run side by side keep their own output", () => {
  const state = after(started, planned("a"), planned("b"), output("b", "B"), output("a", "A"), output("b", "B"));
  expect([callIn(state, "a").output, callIn(state, "b").output]).toEqual(["A", "BB"]);
});

test("how far a call is replaces what it said before, and goes with its end", () => {
  const running = after(started, planned("c1"), output("c1", "1 of 9", 1), output("c1", "2 of 9", 2));
  expect(callIn(running, "c1")).toMatchObject({ output: "", progress: { text: "2 of 9", done: 2 } });
  const over = after(started, planned("c1"), output("c1", "1 of 9", 1), ended("c1"));
  expect(callIn(over, "c1").progress).toBeNull();
});

test("of endless output the end is kept", () => {
  const bodies = Array.from({ length: 30 }, (_, index) => output("c1", `${index}`.padEnd(10_000, "x")));
  const call = callIn(after(started, planned("c1"), ...bodies), "c1");
  expect(call.output.length).toBe(100_000);
  expect(call.outputCut).toBe(true);
  expect(call.output).toContain("29x");
});

test("empty lines before a call are no text", () => {
  const state = after(started, text("\n\n"), planned("c1"));
  expect(state.turn?.items.map((item) => item.kind)).toEqual(["call"]);
});

test("the first end of a turn is its end", () => {
  const state = after(started, done, { type: "done", outcome: "failed", reason: "late" }, text("more"));
  expect(state.turn).toMatchObject({ outcome: "completed", reason: null, items: [] });
});

test("a page that came in the middle shows what it can", () => {
  const state = reduceAll(startOf(40), numbered("t", 41, [text("and so on")]));
  expect(state.turn).toMatchObject({ turnId: "t", model: null, outcome: null });
  expect(state.said).toBeNull();
});

test("the next turn begins with nothing of the last one", () => {
  const first = after(started, text("one"), done);
  const next = reduceAll(first, numbered("turn-2", 4, [{ ...started, message_id: 9 } as EventBody]));
  expect(next.turn).toMatchObject({ turnId: "turn-2", items: [], outcome: null, usage: null });
  expect(next.said?.id).toBe(9);
});

test("what happens outside a turn is told, and only the newest of it", () => {
  const ends = numbered(null, 1, Array.from({ length: 25 }, (_, index): EventBody => ({
    type: "process_ended", process_id: `p${index}`, command: "sleep 1", exit_code: 0, signal: null, status: "exited",
  })));
  const state = reduceAll(startOf(0), ends);
  expect(state.turn).toBeNull();
  expect(state.notices).toHaveLength(20);
  expect(state.notices.at(-1)?.notice).toMatchObject({ about: "process", id: "p24" });
});

test.each<[string, EventBody, boolean]>([
  ["a turn begins", started, true],
  ["it is done", done, true],
  ["it was summed up", { type: "compacted", messages: 3, tokens_before: 9, tokens_after: 1, transcript: "x" }, true],
  ["a piece of text", text("x"), false],
  ["a notice", { type: "notice", text: "x" }, false],
])("stored messages are stale after: %s", (_, body, stale) => {
  const before = after(started);
  const state = reduceAll(before, numbered("turn-1", 2, [body]));
  expect(state.stale > before.stale).toBe(stale);
});

test("an event of a kind that this page does not know is passed over", () => {
  const strange = { ...events(started)[0], type: "weather" } as unknown as SessionEvent;
  expect(reduce(startOf(0), strange)).toEqual({ ...startOf(0), seq: 1 });
});
