// The rest of the API: settings, models, files on their way, audit, undo, processes, vitals.
import type { Json, Mode, Time } from "./call";
import type { Upload } from "./session";

export interface About {
  version: string;
  user: { name: string; owner: boolean };
  /** Whether the person sits at the machine that serves this page. */
  here: boolean;
  workspaces: string[];
  mode: Mode;
  /** Those that this person may choose for a new session. */
  modes: Mode[];
  language: string;
  model: string | null;
  limits: { upload_bytes: number; message_bytes: number; requests_per_second?: number };
  unavailable: { tool: string; reason: string; remedy?: string }[];
}

export interface Setting {
  key: string;
  value: Json;
  default: Json;
  source: string | { from: string; path?: string; variable?: string; flag?: string };
  about: string;
}

export interface Settings {
  settings: Setting[];
  warnings: string[];
}

export type KeySource = "environment" | "keyring" | "file";

export interface Provider {
  name: string;
  title: string;
  needs_key: boolean;
  has_key: boolean;
  key_source: KeySource | null;
  default_model: string | null;
  /** The address in force, for the owner; null where it has to be given. */
  base_url: string | null;
  /** Where a person gets a key. */
  key_url: string | null;
  /** The command that starts a server on this machine. */
  start: string | null;
  /** The command that gets a first model. */
  pull: string | null;
}

export interface Models {
  usual: string | null;
  models: string[];
  providers: Provider[];
  keyring: { available: boolean; why?: string };
}

export interface ModelTest {
  ok: boolean;
  latency_ms: number;
  error?: ModelError;
}

/** Why a model did not answer. */
export interface ModelError {
  class: string;
  /** What to fix. */
  problem: string;
  /** In Deskhand's words. */
  message: string;
  /** In the provider's own words, where it said anything. */
  said: string | null;
  hint: string | null;
}

export interface AvailableModels {
  models: string[];
  error?: ModelError;
}

export interface UploadState {
  upload_id: string;
  offset: number;
  size: number;
  complete: boolean;
  upload?: Upload;
}

export interface Download {
  id: string;
  url: string;
  name: string;
  size: number;
  expires_at: Time;
  once: boolean;
}

export interface AuditRecord {
  phase: "arrival" | "end" | "notice";
  call_id: string | null;
  tool_name: string;
  arguments: Json;
  session_id: string;
  timestamp: Time;
  status: string;
  duration_ms: number | null;
  result: string | null;
  caller: string;
  decision: string | null;
  decided_by: string | null;
  rule: string | null;
  input_sha256: string | null;
  output_sha256: string | null;
  confinement?: string;
  seq: number;
  hash: string;
}

export interface AuditPage {
  total?: number;
  records: AuditRecord[];
  has_more: boolean;
}

export interface AuditCheck {
  intact: boolean;
  records: number;
  problem?: string;
}

export interface UndoableChange {
  call_id: string;
  tool: string;
  summary: string;
  at: Time;
  session_id: string;
  changes: number;
  undone_by?: string;
}

export interface ProcessInfo {
  id: string;
  command: string;
  session_id: string;
  status: string;
  started_at: Time;
  exit_code?: number | null;
  pid?: number | null;
}

export interface Vitals {
  at: Time;
  cpu_percent: number;
  cpus: number[];
  memory: { total: number; used: number };
  swap: { total: number; used: number };
  disks: { mount: string; total: number; used: number }[];
  network: { name: string; received_per_s: number; sent_per_s: number }[];
  load: [number, number, number];
  uptime_s: number;
}
