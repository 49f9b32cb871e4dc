// Tools and calls: what a call would do, and how it ended.

/** RFC 3339, UTC, milliseconds. */
export type Time = string;
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A path that is not UTF-8 comes as its bytes in hex. */
export type PathText = string | { bytes: string };
export type Permission = "public" | "moderate" | "sensitive" | "forbidden";
export type Mode = "ask" | "auto" | "read-only" | "unattended";
export type Decision = "allow" | "ask" | "forbid";
export type Status =
  | "success"
  | "not_found"
  | "invalid_arguments"
  | "blocked"
  | "execution_rejected"
  | "expired"
  | "nobody_to_ask"
  | "error"
  | "timed_out"
  | "cancelled"
  | "result_rejected";

export interface Effects {
  reads: boolean;
  writes: boolean;
  executes: boolean;
  network: boolean;
  desktop: boolean;
}

export interface ErrorBody {
  code: string;
  message: string;
  hint: string | null;
}

export interface Image {
  mime: string;
  base64: string;
}

export type ChangeKind = "created" | "modified" | "deleted" | "moved" | "mode";
export type EntryType = "file" | "folder" | "link" | "special";

/** One line of a change list: one entry, or a folder that stands for several. */
export interface ChangedEntry {
  /** Relative to the workspace; absolute outside it. */
  path: PathText;
  kind: ChangeKind;
  /** Where a moved entry was before. */
  from?: PathText;
  /** Lines, for text files. */
  added: number;
  removed: number;
  bytes: number;
  /** How many entries this line stands for; absent for one. */
  entries?: number;
  /** Absent for a file. */
  entry_type?: EntryType;
  /** What it was before, if that was something else. */
  was?: EntryType;
  /** Permission bits in octal digits, if they changed. */
  mode?: { before: string; after: string };
  /** Why this changes what runs later, if it does. */
  runs_later?: string;
  /** Git ignores it. */
  ignored?: boolean;
}

/** Everything that a command changed. */
export interface ChangeSummary {
  created: number;
  modified: number;
  deleted: number;
  moved: number;
  /** Entries of which only the permission bits changed. */
  mode: number;
  bytes: number;
  deleted_bytes: number;
  entries: ChangedEntry[];
  /** How many changed entries no line stands for. */
  more?: number;
}

export interface Outcome {
  call_id: string;
  tool: string;
  status: Status;
  text: string;
  data: Json;
  error: ErrorBody | null;
  truncated: boolean;
  full_output: string | null;
  undo: string | null;
  /** What a command changed on its layer; absent in what was stored by older versions. */
  changes?: ChangedEntry[];
  /** Whether that was kept; `null` if there was nothing. */
  kept?: boolean | null;
  duration_ms: number;
  permission: Permission | null;
  decision: Decision | null;
  rule: string | null;
  decided_by: string | null;
  edited?: Json;
  outside?: string;
  images?: Image[];
  paths?: PathText[];
}

export type Access = "read" | "create" | "modify" | "delete";

export type Fingerprint =
  | "absent"
  | { identity: { device: number; inode: number } }
  | { state: { device: number; inode: number; size: number; changed_ns: number } };

export interface Touch {
  path: PathText;
  access: Access;
  recursive: boolean;
  permission: Permission;
  rule: string;
  fingerprint: Fingerprint;
}

export type Undoable = "nothing_to_undo" | "yes" | { no: string };
export type Preview = { kind: "diff"; text: string } | { kind: "text"; text: string };

/** What a remembered answer is about, beside the tool. */
export type Shape =
  | { kind: "exact"; sha256: string; shown: string }
  | { kind: "folder"; path: PathText }
  | { kind: "command"; pattern: string; folder: PathText; network: boolean }
  | { kind: "host"; host: string }
  | { kind: "changes"; workspace: PathText }
  | { kind: "any_arguments" };

export type Runs = "layer" | "read-only" | "direct";

export interface Plan {
  summary: string;
  permission: Permission;
  rule: string;
  why: string;
  effects: Effects;
  touches?: Touch[];
  programs?: string[];
  hosts?: string[];
  commands?: string[][];
  cwd?: PathText;
  with_network?: boolean;
  confinement?: string;
  /** How a command reaches the workspace. */
  runs?: Runs;
  /** What a command has changed. It ran; the question is whether this is kept. */
  changes?: ChangeSummary;
  outside?: string;
  undo: Undoable;
  preview?: Preview;
  /** The preview is for whoever is asked, while they are asked. */
  private_preview?: boolean;
  notes?: string[];
  shapes?: Shape[];
  result_approval: boolean;
}

export interface Explanation {
  tool: string;
  decision: Decision;
  permission: Permission;
  rule: string;
  why: string;
  hint: string | null;
  mode: Mode;
  arguments: Json;
  question: string | null;
  result_approval: boolean;
  runs?: Runs | null;
  /** What becomes of a change in the workspace that can be undone, if the command runs on a layer. */
  keep?: "allow" | "ask" | "discard" | null;
  plan: Plan | null;
}

export interface ToolInfo {
  name: string;
  description: string;
  description_zh: string;
  permission: Permission;
  /** The names of those it has. */
  effects: string[];
  input_schema: Json;
  output_schema: Json;
  toolsets: string[];
  keywords: string[];
  example: Json;
  available: boolean;
  unavailable_reason?: string;
}

export interface ExecuteRequest {
  tool_name: string;
  parameters: Json;
  require_confirmation?: boolean;
  plan_id?: string;
  session_id?: string;
  /** Whose result shape it has; `deskhand` for ours. */
  dialect?: string;
  /** Answer only when somebody has looked at the result, where that is needed. */
  wait?: boolean;
}

export interface ExecuteResponse {
  success: boolean;
  status: Status;
  result: Json;
  message: string;
  need_confirmation: boolean;
  confirmation_message: string | null;
  plan_id?: string;
  plan_expires_at?: Time;
  plan?: Plan;
  outcome?: Outcome;
}
