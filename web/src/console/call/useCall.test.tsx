import { act, renderHook, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import type { ExecuteResponse } from "../../api/types";
import { type Send, useCall } from "./useCall";

const answer = (more: Partial<ExecuteResponse>): ExecuteResponse => ({
  success: true,
  status: "success",
  result: null,
  message: "",
  need_confirmation: false,
  confirmation_message: "",
  ...more,
});

test("a call that asks runs with the plan that was shown, and only after the yes", async () => {
  const send = vi.fn<Send>((planId) =>
    Promise.resolve(planId === undefined ? answer({ need_confirmation: true, plan_id: "p1" }) : answer({ message: "ran" })),
  );
  const ended = vi.fn();
  const { result } = renderHook(() => useCall(ended));
  act(() => result.current.start(send));
  await waitFor(() => expect(result.current.state.step).toBe("asking"));
  expect(send).toHaveBeenCalledTimes(1);
  expect(ended).not.toHaveBeenCalled();
  act(() => result.current.confirm());
  await waitFor(() => expect(result.current.state).toMatchObject({ step: "ended", response: { message: "ran" } }));
  expect(send.mock.calls.map(([planId]) => planId)).toEqual([undefined, "p1"]);
  expect(ended).toHaveBeenCalledTimes(1);
});

test("to cancel lets go of the request, and a late answer changes nothing", async () => {
  let signal: AbortSignal | undefined;
  let finish: (response: ExecuteResponse) => void = () => undefined;
  const { result } = renderHook(() => useCall());
  act(() =>
    result.current.start((_, given) => {
      signal = given;
      return new Promise((resolve) => {
        finish = resolve;
      });
    }),
  );
  expect(result.current.state.step).toBe("running");
  act(() => result.current.cancel());
  expect(signal?.aborted).toBe(true);
  await act(async () => {
    finish(answer({}));
    await Promise.resolve();
  });
  expect(result.current.state.step).toBe("cancelled");
});

test("a no sends nothing more", async () => {
  const send = vi.fn<Send>(() => Promise.resolve(answer({ need_confirmation: true, plan_id: "p1" })));
  const { result } = renderHook(() => useCall());
  act(() => result.current.start(send));
  await waitFor(() => expect(result.current.state.step).toBe("asking"));
  act(() => result.current.decline());
  act(() => result.current.confirm());
  expect(send).toHaveBeenCalledTimes(1);
  expect(result.current.state.step).toBe("declined");
});

test("a request that fails is a failure that can be shown", async () => {
  const { result } = renderHook(() => useCall());
  act(() => result.current.start(() => Promise.reject(new Error("gone"))));
  await waitFor(() => expect(result.current.state).toMatchObject({ step: "failed", error: { message: "gone" } }));
});
