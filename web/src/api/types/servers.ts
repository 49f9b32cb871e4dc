// Other MCP servers whose tools are used here.
import type { Time } from "./call";

export type ServerStatus = "starting" | "ready" | "restarting" | "failed" | "wants_sign_in" | "disabled";
export type ServerPermission = "public" | "moderate" | "sensitive";
export type ToolRule = ServerPermission | "hidden";

/** How a server is reached, without secrets. */
export type ServerLink =
  | { kind: "stdio"; command: string; args: string[]; env: Record<string, string | null>; cwd: string | null }
  | { kind: "http"; host: string; headers: string[]; variables: string[] };

export interface ListedTool {
  /** The server's own name. */
  name: string;
  called_as: string;
  permission: ServerPermission | null;
  hidden: boolean;
}

export type SignInState = { state: "waiting"; address: string } | { state: "done" } | { state: "failed"; why: string };

export type McpServer = ServerLink & {
  name: string;
  status: ServerStatus;
  error: string | null;
  /** What it printed last, where it is not ready. */
  last_words: string[];
  file: string | null;
  editable: boolean;
  disabled: boolean;
  permission: ServerPermission;
  shared: boolean;
  tools: ListedTool[];
  refused: { name: string; why: string }[];
  restarts: number;
  last_seen: Time | null;
  notes: string[];
  signs_in: boolean;
  signed_in: boolean;
  sign_in: SignInState | null;
};

export interface McpServers {
  servers: McpServer[];
  problems: string[];
  file: string | null;
}

export type ProposedServer = ServerLink & { name: string; replaces: boolean; disabled: boolean };

export interface ServerProposal {
  added: boolean;
  confirm: string;
  servers: ProposedServer[];
  left_out: string[];
  file: string;
}

export interface ServerLogLine {
  at: Time;
  source: "stderr" | "connection";
  text: string;
}

export interface ServerChange {
  disabled?: boolean;
  permission?: ServerPermission;
  tools?: Record<string, ToolRule | null>;
}
