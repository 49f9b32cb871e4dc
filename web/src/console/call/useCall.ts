// One call from the page: it runs, it may ask first, it ends; and it can be cancelled all the time.
import { useCallback, useEffect, useRef, useState } from "react";

import { api } from "../../api/client";
import { execute } from "../../api/execute";
import type { ExecuteResponse, Json } from "../../api/types";

/** Sends the request; the second time with the plan that the person said yes to. */
export type Send = (planId: string | undefined, signal: AbortSignal) => Promise<ExecuteResponse>;

export type CallState =
  | { step: "idle" }
  | { step: "running"; since: number }
  | { step: "asking"; response: ExecuteResponse }
  | { step: "ended"; response: ExecuteResponse }
  | { step: "failed"; error: unknown }
  | { step: "declined" }
  | { step: "cancelled" };

export interface Call {
  state: CallState;
  start: (send: Send) => void;
  /** Yes to the plan that is shown. */
  confirm: () => void;
  decline: () => void;
  /** The same call once more, from its plan on. */
  again: () => void;
  /** Lets go of the request: the server ends the call. */
  cancel: () => void;
  reset: () => void;
}

/** Tools have limits of their own; this is for a server that never answers. */
const LONGEST = 2 * 3600 * 1000;

/** `sessionId`: the conversation it belongs to, if it does to one. */
export function toolCall(tool: string, parameters: Json, sessionId?: string): Send {
  return (planId, signal) =>
    execute(
      {
        tool_name: tool,
        parameters,
        ...(planId === undefined ? {} : { plan_id: planId }),
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
      },
      signal,
      LONGEST,
    );
}

/** A route of its own that answers as `tools/execute` does. */
export function routeCall(path: string): Send {
  return (planId, signal) =>
    api.post<ExecuteResponse>(path, planId === undefined ? {} : { plan_id: planId }, { signal, timeout: LONGEST });
}

export function useCall(onEnded?: (response: ExecuteResponse) => void): Call {
  const [state, setState] = useState<CallState>({ step: "idle" });
  const current = useRef<{ controller: AbortController; send: Send } | null>(null);
  const ended = useRef(onEnded);
  useEffect(() => {
    ended.current = onEnded;
  });

  const go = useCallback(async (send: Send, planId: string | undefined) => {
    current.current?.controller.abort();
    const controller = new AbortController();
    current.current = { controller, send };
    const isCurrent = () => current.current?.controller === controller && !controller.signal.aborted;
    setState({ step: "running", since: Date.now() });
    try {
      const response = await send(planId, controller.signal);
      if (!isCurrent()) return;
      setState({ step: response.need_confirmation ? "asking" : "ended", response });
      if (!response.need_confirmation) ended.current?.(response);
    } catch (error) {
      if (isCurrent()) setState({ step: "failed", error });
    }
  }, []);

  useEffect(() => () => current.current?.controller.abort(), []);

  const leave = useCallback((next: CallState) => {
    current.current?.controller.abort();
    setState(next);
  }, []);

  return {
    state,
    start: useCallback((send: Send) => void go(send, undefined), [go]),
    confirm: useCallback(() => {
      const send = current.current?.send;
      if (state.step === "asking" && send) void go(send, state.response.plan_id);
    }, [go, state]),
    again: useCallback(() => {
      const send = current.current?.send;
      if (send) void go(send, undefined);
    }, [go]),
    decline: useCallback(() => leave({ step: "declined" }), [leave]),
    cancel: useCallback(() => leave({ step: "cancelled" }), [leave]),
    reset: useCallback(() => leave({ step: "idle" }), [leave]),
  };
}
