// Failures of a turn or of sending one, told apart by what the person can do about them.
import { ApiError } from "../api/client";

export type Remedy = "settings" | "wait" | "compact" | "model" | "credit" | "busy" | "retry";

export interface Failure {
  remedy: Remedy;
  /** What the server or the provider said. */
  message: string;
}

const BY_CLASS: Readonly<Record<string, Remedy>> = {
  auth: "settings",
  no_credit: "credit",
  rate_limited: "wait",
  server: "wait",
  silent: "wait",
  network: "wait",
  malformed: "retry",
  too_long: "compact",
  no_such_model: "model",
  bad_request: "retry",
  no_tools: "model",
};

/** The reason of a turn: `class: what was said`, where the class is known. */
export function failureOf(reason: string | null): Failure {
  const found = /^([a-z_]+): ([\s\S]*)$/.exec(reason ?? "");
  const remedy = found?.[1] === undefined ? undefined : BY_CLASS[found[1]];
  if (remedy === undefined) return { remedy: "retry", message: reason ?? "" };
  return { remedy, message: found?.[2] ?? "" };
}

/** The error of a request that was to begin a turn. `null`: an error like any other. */
export function sendFailure(error: unknown): Failure | null {
  if (!(error instanceof ApiError)) return null;
  const message = error.hint === null ? error.message : `${error.message} ${error.hint}`;
  if (error.code === "busy") return { remedy: "busy", message };
  if (!error.code.startsWith("model_")) return null;
  const remedy = BY_CLASS[error.code.slice("model_".length)] ?? "retry";
  return { remedy, message };
}
