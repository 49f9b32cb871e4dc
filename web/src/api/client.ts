// The one way to the server: JSON in, JSON out, and an error that says what and what to do.
import { setRefused } from "./access";

export class ApiError extends Error {
  /** HTTP status; 0 when the server could not be reached. */
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  /** Seconds to wait, where the server said so. */
  readonly retryAfter: number | null;
  /** The whole error body, for the few routes that put more into it. */
  readonly body: Record<string, unknown>;

  constructor(
    status: number,
    code: string,
    message: string,
    hint: string | null = null,
    more: { retryAfter?: number | null; body?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.retryAfter = more.retryAfter ?? null;
    this.body = more.body ?? {};
  }

  get isGone(): boolean {
    return this.status === 0;
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export const API = "/api/v1";

/** The address of a route with its parameters; those that are null or absent are left out. */
export function address(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) params.set(key, String(value));
  }
  const text = params.toString();
  const full = path.startsWith("/") ? path : `${API}/${path}`;
  return text === "" ? full : `${full}?${text}`;
}

export interface RequestOptions {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** How long to wait, in milliseconds. */
  timeout?: number;
}

const USUAL_TIMEOUT = 30_000;

/** `path` is relative to /api/v1, or absolute from the root. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json", ...options.headers };
  let body: BodyInit | undefined;
  if (options.body instanceof FormData || options.body instanceof Blob) {
    body = options.body;
  } else if (options.body !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(options.body);
  }
  const limit = AbortSignal.timeout(options.timeout ?? USUAL_TIMEOUT);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  let response: Response;
  try {
    response = await fetch(address(path, options.query), {
      method,
      headers,
      credentials: "same-origin",
      signal,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    if (limit.aborted) throw new ApiError(0, "timeout", "The server did not answer in time.");
    throw new ApiError(0, "server_gone", "The server cannot be reached.");
  }
  if (response.status !== 401) setRefused(false);
  if (response.ok) {
    const text = await response.text();
    return (text === "" ? null : JSON.parse(text)) as T;
  }
  const error = await readError(response);
  if (error.status === 401) setRefused(true);
  throw error;
}

async function readError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  try {
    const parsed = (await response.json()) as { error?: Record<string, unknown> };
    const body = parsed.error ?? {};
    const text = (key: string) => (typeof body[key] === "string" ? body[key] : null);
    return new ApiError(
      response.status,
      text("code") ?? `http_${response.status}`,
      text("message") ?? `${response.status} ${response.statusText}`,
      text("hint"),
      { retryAfter, body },
    );
  } catch {
    const message = `${response.status} ${response.statusText}`.trim();
    return new ApiError(response.status, `http_${response.status}`, message, null, { retryAfter });
  }
}

export const api = {
  get: <T>(path: string, options?: RequestOptions) => request<T>("GET", path, options),
  post: <T>(path: string, body: unknown = {}, options?: RequestOptions) =>
    request<T>("POST", path, { ...options, body }),
  put: <T>(path: string, body: unknown, options?: RequestOptions) =>
    request<T>("PUT", path, { ...options, body }),
  patch: <T>(path: string, body: unknown, options?: RequestOptions) =>
    request<T>("PATCH", path, { ...options, body }),
  delete: <T>(path: string, options?: RequestOptions) => request<T>("DELETE", path, options),
};
