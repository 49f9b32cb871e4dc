// Taking back is done at once by its route, so what it would do is shown first, from the plan of `undo`.
import { api } from "../../api/client";
import type { ErrorBody, ExecuteResponse, Explanation } from "../../api/types";
import { routeCall, type Send } from "./useCall";

/** Stands for the yes; the route itself needs none. */
const CLICKED = "shown";

export function undoCall(callId: string): Send {
  return async (planId, signal) => {
    if (planId === undefined) {
      const body = { tool_name: "undo", parameters: { call_id: callId } };
      const { explanation } = await api.post<{ explanation?: Explanation; error?: ErrorBody }>("tools/explain", body, { signal });
      if (explanation?.plan) return asked(explanation, explanation.plan);
    }
    // Without a plan it cannot be done; the outcome says why.
    return routeCall(`undo/${encodeURIComponent(callId)}`)(undefined, signal);
  };
}

function asked(explanation: Explanation, plan: NonNullable<Explanation["plan"]>): ExecuteResponse {
  return {
    success: false,
    status: "success",
    result: null,
    message: "",
    need_confirmation: true,
    confirmation_message: explanation.question,
    plan_id: CLICKED,
    plan,
  };
}
