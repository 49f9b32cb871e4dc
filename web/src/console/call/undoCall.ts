// Taking back is a call like others: what it would do is asked first, and the yes holds for that plan and no other.
import { ApiError } from "../../api/client";
import { type Send, toolCall } from "./useCall";

/** `sessionId`: the conversation that made the change; where it is gone, the change is taken back from the console. */
export function undoCall(callId: string, sessionId?: string): Send {
  const parameters = { call_id: callId };
  const byHand = toolCall("undo", parameters);
  if (sessionId === undefined) return byHand;
  const there = toolCall("undo", parameters, sessionId);
  let gone = false;
  return async (planId, signal) => {
    if (gone) return byHand(planId, signal);
    try {
      return await there(planId, signal);
    } catch (error) {
      if (planId !== undefined || !(error instanceof ApiError) || error.status !== 404) throw error;
      gone = true;
      return byHand(undefined, signal);
    }
  };
}
