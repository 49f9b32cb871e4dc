// Calling a tool from the page. Whatever becomes of the call, the server answers 200; what is no success is an error here.
import { api } from "./client";
import type { ExecuteRequest, ExecuteResponse, Json, Outcome, Plan, Status } from "./types";

/** The call ended, and not with success. */
export class CallFailed extends Error {
  readonly status: Status;
  readonly code: string | null;
  readonly hint: string | null;
  readonly outcome: Outcome | null;

  constructor(response: ExecuteResponse) {
    const error = response.outcome?.error ?? null;
    super(error?.message ?? response.message);
    this.name = "CallFailed";
    this.status = response.status;
    this.code = error?.code ?? null;
    this.hint = error?.hint ?? null;
    this.outcome = response.outcome ?? null;
  }
}

/** Nothing ran: a person has to agree first, by sending the call again with this plan. */
export class ConfirmationNeeded extends Error {
  readonly planId: string | null;
  readonly plan: Plan | null;

  constructor(response: ExecuteResponse) {
    super(response.confirmation_message ?? response.message);
    this.name = "ConfirmationNeeded";
    this.planId = response.plan_id ?? null;
    this.plan = response.plan ?? null;
  }
}

const CALL_TIMEOUT = 150_000;

/** Results in our own shape: some names are those of another system, too. */
export const OURS = "deskhand";

/** A question about the result is on the page, so the call waits for the answer there. */
export function execute(request: ExecuteRequest, signal?: AbortSignal, timeout = CALL_TIMEOUT): Promise<ExecuteResponse> {
  return api.post<ExecuteResponse>("tools/execute", { dialect: OURS, wait: true, ...request }, { timeout, ...(signal ? { signal } : {}) });
}

export interface Succeeded<T> {
  data: T;
  outcome: Outcome | null;
}

/** The data of a call that succeeded. */
export async function call<T>(request: ExecuteRequest, signal?: AbortSignal): Promise<Succeeded<T>> {
  const response = await execute(request, signal);
  if (response.need_confirmation) throw new ConfirmationNeeded(response);
  if (!response.success) throw new CallFailed(response);
  const data: Json = response.outcome?.data ?? response.result;
  return { data: data as T, outcome: response.outcome ?? null };
}
