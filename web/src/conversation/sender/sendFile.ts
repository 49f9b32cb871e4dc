// One file on its way to the server: in parts, from where the last try ended, with its hash where the browser can make one.
import { api, ApiError } from "../../api/client";
import type { Upload, UploadState } from "../../api/types";
import { waitBefore } from "../../api/events";

export const PART = 4 * 1024 * 1024;
/** Tries without a byte of progress before it is given up; with the waits of a stream about five minutes. */
const MOST_TRIES = 30;
const PART_TIMEOUT = 120_000;

export interface Sending {
  signal: AbortSignal;
  onProgress: (sent: number) => void;
  /** Whether it waits for the server to come back. */
  onWaiting?: (waiting: boolean) => void;
  /** The server has a place for it under this id: a later try may go on there. */
  onBegun?: (uploadId: string) => void;
  /** Where an earlier try began. */
  begun?: string | null;
  /** For tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export async function sendFile(sessionId: string, file: File, sending: Sending): Promise<Upload> {
  const { signal } = sending;
  signal.throwIfAborted();
  let state = (await found(sending)) ?? (await begin(sessionId, file, sending));
  sending.onBegun?.(state.upload_id);
  const path = `uploads/${encodeURIComponent(state.upload_id)}`;
  try {
    let tries = 0;
    while (!state.complete) {
      signal.throwIfAborted();
      const before = state.offset;
      try {
        state = await api.patch<UploadState>(path, file.slice(before, before + PART), {
          signal,
          timeout: PART_TIMEOUT,
          headers: { "upload-offset": String(before), "content-type": "application/octet-stream" },
        });
      } catch (error) {
        const told = offsetIn(error);
        if (told === null && !mayPass(error)) throw error;
        // The server knows best how far it got.
        if (told === null) state = await again(sending, () => api.get<UploadState>(path, { signal }));
        else state = { ...state, offset: told };
      }
      tries = state.offset > before ? 0 : tries + 1;
      if (tries > MOST_TRIES) throw new ApiError(0, "timeout", "The upload does not get on.");
      if (!state.complete && tries > 0) await (sending.wait ?? pause)(waitBefore(Math.min(tries, 5)), signal);
      sending.onProgress(state.offset);
    }
  } catch (error) {
    if (signal.aborted) takeAway(state.upload_id);
    throw error;
  }
  if (state.upload === undefined) state = await again(sending, () => api.get<UploadState>(path, { signal }));
  if (state.upload === undefined) throw new ApiError(0, "invalid", "The server did not keep the file.");
  return state.upload;
}

/** What was not sent to its end is of no use to anyone. */
export function takeAway(uploadId: string): void {
  void api.delete(`uploads/${encodeURIComponent(uploadId)}`).catch(() => undefined);
}

async function begin(sessionId: string, file: File, sending: Sending): Promise<UploadState> {
  const sha256 = await hashOf(file);
  sending.signal.throwIfAborted();
  // Not called back half-way: the server would keep a place that nobody knows of.
  return again(sending, () =>
    api.post<UploadState>(`sessions/${encodeURIComponent(sessionId)}/uploads`, {
      name: file.name,
      size: file.size,
      ...(file.type === "" ? {} : { mime: file.type }),
      ...(sha256 === null ? {} : { sha256 }),
    }),
  );
}

/** How far an earlier try got; `null` where there was none, or the server no longer has it. */
async function found(sending: Sending): Promise<UploadState | null> {
  const { begun, signal } = sending;
  if (begun === undefined || begun === null) return null;
  try {
    return await again(sending, () => api.get<UploadState>(`uploads/${encodeURIComponent(begun)}`, { signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Asks until the server is there. */
async function again<T>(sending: Sending, ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await ask();
      if (tries > 0) sending.onWaiting?.(false);
      return answer;
    } catch (error) {
      sending.signal.throwIfAborted();
      if (!mayPass(error) || tries >= MOST_TRIES) throw error;
      sending.onWaiting?.(true);
      const told = error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1000 : 0;
      await (sending.wait ?? pause)(Math.max(told, waitBefore(tries)), sending.signal);
    }
  }
}

/** Gone, overloaded, asked too often: the next try may go well. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.isGone || error.status === 429 || error.status >= 500);
}

function offsetIn(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { offset } = error.body;
  return typeof offset === "number" ? offset : null;
}

/** Only pages that came over TLS, or from this machine, may hash. */
async function hashOf(file: Blob): Promise<string | null> {
  const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle;
  if (subtle === undefined) return null;
  const bytes = await subtle.digest("SHA-256", new Uint8Array(await file.arrayBuffer()));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }, { once: true });
  });
}
