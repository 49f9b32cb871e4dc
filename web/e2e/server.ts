// The real program on folders of its own: started, asked, killed and started again.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

import { scriptOf, type Talk } from "./script";

const PROGRAM = process.env.DESKHAND_BIN ?? fileURLToPath(new URL("../../target/debug/deskhand", import.meta.url));
const START_LIMIT = 60_000;

export interface ServerOptions {
  /** What the model says; without it there is no model. */
  talk?: Talk;
  /** Whether that model takes pictures. */
  images?: boolean;
  /** In the workspace, by name. */
  files?: Record<string, string | Buffer>;
  mode?: "ask" | "auto" | "read-only" | "unattended";
  environment?: Record<string, string>;
  /** Further folders to work in, by name, beside the workspace. */
  folders?: string[];
  /** The text of its config file. */
  config?: string;
  /** Where its folders are, for pictures in which the path is seen; else a new place. */
  place?: string;
}

interface Ready {
  url: string;
  token: string;
  open_url: string;
}

export interface Session {
  id: string;
  title: string;
  message_count: number;
}

export class Server {
  private constructor(
    private readonly root: string,
    private readonly options: ServerOptions,
  ) {}

  private child: ChildProcess | undefined;
  private ready: Ready | undefined;
  private complaints = "";

  static async start(options: ServerOptions = {}): Promise<Server> {
    const root = realpathSync(options.place === undefined ? mkdtempSync(join(tmpdir(), "deskhand-page-")) : fresh(options.place));
    const server = new Server(root, options);
    mkdirSync(join(root, "workspace"));
    mkdirSync(join(root, "home"));
    for (const folder of options.folders ?? []) mkdirSync(join(root, folder));
    if (options.talk !== undefined) writeFileSync(join(root, "answers.json"), scriptOf(options.talk, options.images));
    if (options.config !== undefined) writeFileSync(join(root, "config.toml"), options.config);
    for (const [name, content] of Object.entries(options.files ?? {})) server.write(name, content);
    await server.launch("127.0.0.1:0");
    return server;
  }

  private async launch(listen: string): Promise<void> {
    const { talk, mode, config, environment, folders } = this.options;
    const args = ["serve", "--json", "--listen", listen, "--data-dir", "data", "--workspace", "workspace"];
    for (const folder of folders ?? []) args.push("--workspace", folder);
    if (talk !== undefined) args.push("--model", "scripted/answers.json");
    if (mode !== undefined) args.push("--mode", mode);
    if (config !== undefined) args.push("--config", "config.toml");
    const child = spawn(PROGRAM, args, {
      cwd: this.root,
      env: { ...ownEnvironment(), HOME: join(this.root, "home"), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    child.stderr.on("data", (data: Buffer) => {
      this.complaints = (this.complaints + data.toString()).slice(-10_000);
    });
    const line = await Promise.race([
      once(createInterface(child.stdout), "line").then(([text]) => text as string),
      once(child, "error").then(([error]) => Promise.reject(error as Error)),
      once(child, "exit").then(([code]) => this.failed(`ended with ${String(code)}`)),
      new Promise<never>((_, reject) =>
        setTimeout(() => reject(new Error("the server did not start in time")), START_LIMIT).unref(),
      ),
    ]);
    this.ready = JSON.parse(line) as Ready;
  }

  private failed(what: string): Promise<never> {
    return Promise.reject(new Error(`${PROGRAM} serve ${what}: ${this.complaints}`));
  }

  private get known(): Ready {
    if (this.ready === undefined) throw new Error("the server was not started");
    return this.ready;
  }

  get url(): string {
    return this.known.url;
  }

  get token(): string {
    return this.known.token;
  }

  /** The address that lets a browser in. */
  get openUrl(): string {
    return this.known.open_url;
  }

  /** Another process of the program on the same data and the same workspace. */
  spawn(command: string[]): ChildProcessByStdio<Writable, Readable, null> {
    const { config, environment } = this.options;
    const args = [...command, "--data-dir", "data", "--workspace", "workspace"];
    if (config !== undefined) args.push("--config", "config.toml");
    return spawn(PROGRAM, args, {
      cwd: this.root,
      env: { ...ownEnvironment(), HOME: join(this.root, "home"), ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
  }

  /** As a crash would end it. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** At the same address, on the same data. */
  async startAgain(): Promise<void> {
    await this.launch(new URL(this.url).host);
  }

  async stop(): Promise<void> {
    await this.end("SIGTERM");
    rmSync(this.root, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await gone;
    clearTimeout(late);
  }

  path(name: string): string {
    return join(this.root, "workspace", name);
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** A request as a program makes it. */
  ask(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(new URL(path, this.url), {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The same, for what must succeed. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.ask(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  newSession(title?: string): Promise<Session> {
    return this.json("POST", "/api/v1/sessions", title === undefined ? {} : { title });
  }

  /** A conversation with these messages, by turns of the user and the assistant. */
  importSession(title: string, messages: string[]): Promise<Session> {
    return this.json("POST", "/api/v1/sessions/import", transcript(title, messages));
  }
}

function fresh(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

/** As `export?format=json` gives it. The times are a minute apart and always the same. */
export function transcript(title: string, messages: string[], first = Date.UTC(2026, 0, 5, 9)): unknown {
  const id = "00000000-0000-7000-8000-000000000000";
  const at = (n: number) => new Date(first + n * 60_000).toISOString();
  return {
    format: "deskhand-session-1",
    session: {
      id,
      title,
      title_locked: true,
      created_at: at(0),
      updated_at: at(messages.length),
      message_count: messages.length,
      is_archived: false,
      metadata: {},
    },
    messages: messages.map((content, n) => ({
      id: n + 1,
      session_id: id,
      role: n % 2 === 0 ? "user" : "assistant",
      content,
      timestamp: at(n),
      metadata: {},
    })),
  };
}

/** Nothing of ours or of a provider, so that the same happens everywhere. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(DESKHAND_|XDG_)/.test(name) && !/_API_KEY|_BASE_URL$|^OLLAMA_HOST$/.test(name) && name !== "DISPLAY",
  );
  return { ...Object.fromEntries(kept), LC_ALL: "C.UTF-8", NO_PROXY: "127.0.0.1,localhost" };
}
