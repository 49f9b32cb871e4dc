// Conversations: sessions, messages, and the steps of a turn.
import type { Decision, Image, Json, Mode, PathText, Status, Time } from "./call";
import type { SessionEvent } from "./event";

export interface ForkedFrom {
  session_id: string;
  message_id: number;
}

export interface SessionMeta {
  workspace?: PathText;
  model?: string;
  /** As it was chosen for this session. */
  mode?: Mode;
  toolset?: string;
  dialect?: string;
  forked_from?: ForkedFrom;
  demo?: boolean;
  /** Of a demo: what can be said in it, in this order. */
  suggested?: string[];
  [other: string]: unknown;
}

export interface Session {
  id: string;
  title: string;
  title_locked: boolean;
  created_at: Time;
  updated_at: Time;
  message_count: number;
  is_archived: boolean;
  deleted_at?: Time;
  metadata: SessionMeta;
}

export interface SessionItem extends Session {
  session_id: string;
}

export interface TurnState {
  turn_id: string;
  first_event: number;
  user_message: number;
  assistant_message: number;
  /** `elsewhere`: another process runs it. */
  state: "running" | "paused" | "elsewhere";
}

export interface SessionDetail extends SessionItem {
  last_event: number;
  turn: TurnState | null;
  queued: QueuedMessage[];
  /** In which its next turn runs. */
  mode: Mode;
  /** Those that this person may choose for it. */
  modes: Mode[];
}

/** Waits for the end of the turn. */
export interface QueuedMessage {
  id: number;
  content: string;
  uploads?: string[];
  created_at: Time;
  /** Its turn was cancelled or failed: it is sent only when the person sends or edits it. */
  held: boolean;
}

export type Role = "user" | "assistant" | "system";
export type TurnOutcome = "completed" | "failed" | "cancelled" | "stopped";

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost?: number;
}

export interface Compaction {
  until_message: number;
  until_step?: number;
  transcript: string;
  facts: { requests: string[]; files: string[]; errors: string[] };
  outside?: string[];
}

export interface MessageMeta {
  turn_id?: string;
  model?: string;
  outcome?: TurnOutcome;
  reason?: string;
  /** The answer broke off. */
  incomplete?: boolean;
  /** The answer that this one tries again. */
  retry_of?: number;
  usage?: Usage;
  uploads?: string[];
  compaction?: Compaction;
  [other: string]: unknown;
}

export interface CallEnd {
  status: Status;
  result: string;
  ended_at: Time;
  duration_ms: number;
  error_code?: string;
  outside?: string;
  full_output?: string;
  undo?: string;
  decision?: Decision;
  images?: Image[];
  paths?: string[];
}

export interface CallStep {
  round: number;
  call_id: string;
  model_call_id: string;
  tool: string;
  arguments: Json;
  started_at: Time;
  end?: CallEnd;
}

export type Step =
  | { type: "thought"; round: number; text: string; signature?: string }
  | { type: "text"; round: number; text: string }
  | ({ type: "call" } & CallStep)
  | { type: "nudge"; round: number; text: string };

export interface Message {
  id: number;
  session_id: string;
  role: Role;
  content: string;
  timestamp: Time;
  execution_steps?: Step[];
  metadata: MessageMeta;
  /** What the events tell of its calls; put here from the list it came with. */
  call_events?: SessionEvent[];
}

export interface SearchHit {
  session_id: string;
  title: string;
  /** `null`: it is in the title. */
  message_id: number | null;
  role: Role | null;
  timestamp: Time;
  /** Each hit stands between ⟪ and ⟫. */
  snippet: string;
}

export interface Upload {
  id: string;
  session_id: string;
  name: string;
  mime: string;
  size: number;
  path: PathText;
  created_at: Time;
  /** How the model of the session gets it. */
  for_model?: ForModel;
}

export type ForModelReason = "long_text" | "model_takes_no_pictures" | "picture_too_large" | "not_text" | "unreadable";

export interface ForModel {
  as: "text" | "picture" | "name_only";
  /** Why it is not more. */
  reason?: ForModelReason;
}

export interface ToolCallRow {
  call_id: string;
  session_id: string;
  turn_id: string;
  message_id: number;
  tool: string;
  arguments: Json;
  started_at: Time;
  status: Status | null;
  duration_ms: number | null;
  undo: string | null;
}

export interface SessionList {
  total: number;
  page: number;
  page_size: number;
  sessions: SessionItem[];
}

export interface SearchHits {
  items: SearchHit[];
  has_more: boolean;
}

export interface MessageList {
  session_id: string;
  total: number;
  /** The newest event when these were read. */
  last_event: number;
  messages: Message[];
  /** Turn by turn. */
  call_events?: SessionEvent[];
}

/** What one call of a session changed. */
export interface SessionChange {
  call_id: string;
  turn_id: string;
  tool: string;
  summary: string;
  paths: string[];
  undone: boolean;
  undone_by?: string;
}

export interface MessageSent {
  session_id: string;
  turn_id: string;
  message_id: number;
  first_event: number;
}
