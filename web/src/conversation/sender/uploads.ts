// The files that wait to go with the next message, per session. They outlive the view, not the page.
import { useSyncExternalStore } from "react";

import type { Upload } from "../../api/types";
import { sendFile, takeAway } from "./sendFile";

export interface Attachment {
  key: string;
  name: string;
  size: number;
  sent: number;
  /** `waiting`: for the server to come back. */
  state: "sending" | "waiting" | "done" | "failed" | "too_large";
  upload: Upload | null;
  /** The address of a picture, to look at before it is sent. */
  preview: string | null;
  error: unknown;
}

interface Held {
  attachment: Attachment;
  file: File;
  abort: AbortController;
  /** What the server calls it, as soon as it has begun. */
  uploadId: string | null;
}

/** Those that browsers show and models take. */
export const PICTURES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const NONE: readonly Attachment[] = [];
const held = new Map<string, Held[]>();
const shown = new Map<string, readonly Attachment[]>();
const listeners = new Set<() => void>();
/** Two at a time: the browser has few connections, and the streams need theirs. */
const MOST_AT_ONCE = 2;
const queue: (() => Promise<void>)[] = [];
let active = 0;
let count = 0;

function tell(sessionId: string): void {
  shown.set(sessionId, (held.get(sessionId) ?? []).map((one) => one.attachment));
  listeners.forEach((listener) => listener());
}

function change(sessionId: string, one: Held, next: Partial<Attachment>): void {
  one.attachment = { ...one.attachment, ...next };
  tell(sessionId);
}

export function useAttachments(sessionId: string | undefined): readonly Attachment[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (sessionId === undefined ? NONE : (shown.get(sessionId) ?? NONE)),
  );
}

export function attach(sessionId: string, files: readonly File[], limit: number): void {
  const list = held.get(sessionId) ?? [];
  held.set(sessionId, list);
  for (const file of files) {
    count += 1;
    const tooLarge = file.size > limit;
    const attachment: Attachment = {
      key: String(count),
      name: file.name,
      size: file.size,
      sent: 0,
      state: tooLarge ? "too_large" : "sending",
      upload: null,
      preview: PICTURES.includes(file.type) ? URL.createObjectURL(file) : null,
      error: null,
    };
    const one: Held = { attachment, file, abort: new AbortController(), uploadId: null };
    list.push(one);
    if (!tooLarge) enqueue(() => run(sessionId, one));
  }
  tell(sessionId);
}

export function retryAttachment(sessionId: string, key: string): void {
  const one = held.get(sessionId)?.find(({ attachment }) => attachment.key === key);
  if (one === undefined) return;
  change(sessionId, one, { state: "sending", error: null });
  enqueue(() => run(sessionId, one));
}

/** Takes it away, also from the server unless it is there whole; what is on its way is called back. */
export function detach(sessionId: string, key: string): void {
  const list = held.get(sessionId) ?? [];
  const one = list.find(({ attachment }) => attachment.key === key);
  one?.abort.abort();
  // One that is on its way takes itself away as it ends.
  if (one?.attachment.state === "failed" && one.uploadId !== null) takeAway(one.uploadId);
  keepOnly(sessionId, ({ attachment }) => attachment.key !== key);
}

/** They went with a message. */
export function clearSent(sessionId: string, ids: readonly string[]): void {
  keepOnly(sessionId, ({ attachment }) => !ids.includes(attachment.upload?.id ?? ""));
}

function keepOnly(sessionId: string, stays: (one: Held) => boolean): void {
  const list = held.get(sessionId) ?? [];
  for (const { attachment } of list.filter((one) => !stays(one))) {
    if (attachment.preview !== null) URL.revokeObjectURL(attachment.preview);
  }
  held.set(sessionId, list.filter(stays));
  tell(sessionId);
}

function enqueue(task: () => Promise<void>): void {
  queue.push(task);
  next();
}

function next(): void {
  while (active < MOST_AT_ONCE) {
    const task = queue.shift();
    if (task === undefined) return;
    active += 1;
    void task().finally(() => {
      active -= 1;
      next();
    });
  }
}

async function run(sessionId: string, one: Held): Promise<void> {
  if (one.abort.signal.aborted) return;
  try {
    const upload = await sendFile(sessionId, one.file, {
      signal: one.abort.signal,
      begun: one.uploadId,
      onBegun: (uploadId) => {
        one.uploadId = uploadId;
      },
      onProgress: (sent) => change(sessionId, one, { sent, state: "sending" }),
      onWaiting: (waiting) => change(sessionId, one, { state: waiting ? "waiting" : "sending" }),
    });
    change(sessionId, one, { state: "done", sent: one.file.size, upload });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) change(sessionId, one, { state: "failed", error });
  }
}
