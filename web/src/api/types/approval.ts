// Questions to a person, their answers, and the answers that are remembered.
import type { Image, Json, PathText, Plan, Shape, Time } from "./call";

export type Subject = { about: "execution"; plan: Plan } | { about: "result"; text: string; data: Json; images?: Image[] };

export interface ApprovalRequest {
  id: string;
  call_id: string;
  session_id: string;
  /** Who makes the call: `chat`, `mcp:NAME`, … */
  caller: string;
  workspace: PathText;
  tool: string;
  arguments: Json;
  wanted_at: Time;
  expires_at: Time;
  subject: Subject;
  may_remember: boolean;
}

export type RememberScope = "session" | "workspace" | "always";

export interface Remember {
  scope: RememberScope;
  shape: Shape;
  until: Time | null;
}

export type Answer =
  | { answer: "yes"; remember?: Remember | null }
  | { answer: "no"; reason?: string | null; remember?: Remember | null }
  | { answer: "edit"; arguments: Json };

export type ResultAnswer =
  | { answer: "pass" }
  | { answer: "edit"; text: string }
  | { answer: "withhold"; reason?: string | null };

export type AnyAnswer = ({ to: "execution" } & Answer) | ({ to: "result" } & ResultAnswer);

export type Settled =
  | { settled: "answered"; answer: AnyAnswer; by: string }
  | { settled: "expired" }
  | { settled: "withdrawn" };

export interface AnswerResult {
  /** `false`: another answer came first. */
  accepted: boolean;
  settled: Settled;
}

export type GrantScope = { in: "session"; id: string } | { in: "workspace"; path: PathText } | { in: "always" };

export interface Grant {
  id: string;
  effect: "allow" | "deny";
  tool: string;
  shape: Shape;
  scope: GrantScope;
  until: Time | null;
  created_at: Time;
  created_by: string;
  reason: string | null;
}
