// What a person does to a conversation, as requests.
import { api, ApiError } from "../api/client";
import type { ExecuteResponse, MessageSent, Mode, Outcome, QueuedMessage, SessionItem, Upload } from "../api/types";
import { messageBefore } from "./useMessages";

/** Large trees take their time. */
const UNDO_TIMEOUT = 1_800_000;

function session(id: string): string {
  return `sessions/${encodeURIComponent(id)}`;
}

/** What was chosen at the message field. */
export interface Chosen {
  model?: string;
  mode?: Mode;
  workspace?: string;
}

export function createSession(chosen: Chosen): Promise<SessionItem> {
  return api.post<SessionItem>("sessions", chosen);
}

export function say(sessionId: string, content: string, uploads: readonly string[]): Promise<MessageSent> {
  return api.post<MessageSent>(`${session(sessionId)}/messages`, {
    content,
    ...(uploads.length === 0 ? {} : { uploads }),
  });
}

/** Says something when the turn that is under way has ended. */
export function queue(sessionId: string, content: string, uploads: readonly string[]): Promise<QueuedMessage> {
  return api.post<QueuedMessage>(`${session(sessionId)}/queue`, {
    content,
    ...(uploads.length === 0 ? {} : { uploads }),
  });
}

export function editQueued(sessionId: string, id: number, content: string): Promise<QueuedMessage> {
  return api.put<QueuedMessage>(`${session(sessionId)}/queue/${id}`, { content });
}

export function removeQueued(sessionId: string, id: number): Promise<unknown> {
  return api.delete(`${session(sessionId)}/queue/${id}`);
}

export function sendQueued(sessionId: string, id: number): Promise<MessageSent> {
  return api.post<MessageSent>(`${session(sessionId)}/queue/${id}/send`, {});
}

/** Makes a call again whose question expired: a new turn begins with it. */
export function askAgain(sessionId: string, callId: string, content: string): Promise<MessageSent> {
  return api.post<MessageSent>(`${session(sessionId)}/calls/${encodeURIComponent(callId)}/again`, { content });
}

/** The message of the last turn once more, which did not come to its end: no second message. */
export function retry(sessionId: string): Promise<MessageSent> {
  return api.post<MessageSent>(`${session(sessionId)}/retry`, {});
}

export type TurnOrder = "cancel" | "pause" | "resume";

export function order(sessionId: string, what: TurnOrder): Promise<unknown> {
  return api.post(`${session(sessionId)}/${what}`);
}

/** A summary takes the place of what was said; the model writes it, so it may take a while. */
export function compact(sessionId: string): Promise<unknown> {
  return api.post(`${session(sessionId)}/compact`, {}, { timeout: 300_000 });
}

/**
 * A conversation that came to nothing goes for good; if even that fails, it stays in the list, where it can be deleted.
 * Only what the server refused came to nothing: where its answer was lost, the turn may have begun.
 */
export async function discardIfRefused(sessionId: string, problem: unknown): Promise<void> {
  if (!(problem instanceof ApiError) || problem.status === 0) return;
  await api.delete(session(sessionId)).catch(() => undefined);
}

/** A copy of the conversation that ends with this message; the whole where none is named. */
export function fork(sessionId: string, lastMessage?: number): Promise<SessionItem> {
  return api.post<SessionItem>(`${session(sessionId)}/fork`, lastMessage === undefined ? {} : { at_message: lastMessage });
}

/** A copy of the conversation up to the message before this one, in which `content` is said instead. */
export async function forkAndSay(sessionId: string, messageId: number, content: string, uploads: readonly string[]): Promise<string> {
  const copy = await fork(sessionId, await messageBefore(sessionId, messageId));
  try {
    // A file belongs to one conversation: the copy needs its own, under a new name in the text, too.
    let text = content;
    const copied: string[] = [];
    for (const id of uploads) {
      const upload = await api.post<Upload>(`${session(copy.id)}/uploads/copy`, { upload_id: id });
      copied.push(upload.id);
      text = text.replaceAll(`[file_ref:${id}]`, `[file_ref:${upload.id}]`);
    }
    await say(copy.id, text, copied);
  } catch (problem) {
    await discardIfRefused(copy.id, problem);
    throw problem;
  }
  return copy.id;
}

export function choose(sessionId: string, chosen: Chosen): Promise<SessionItem> {
  return api.put<SessionItem>(session(sessionId), chosen);
}

/** A click is the yes: it undoes what the call changed, where that is still as the call left it. */
export function undoCall(callId: string): Promise<ExecuteResponse> {
  return api.post<ExecuteResponse>(`undo/${encodeURIComponent(callId)}`, {}, { timeout: UNDO_TIMEOUT });
}

/** The same for all that a turn changed, the last change first; what cannot be undone stops it there. */
export function undoTurn(turnId: string): Promise<{ undone: Outcome[] }> {
  return api.post<{ undone: Outcome[] }>(`undo/turns/${encodeURIComponent(turnId)}`, {}, { timeout: UNDO_TIMEOUT });
}

export function startDemo(language: "en" | "zh"): Promise<{ session_id: string }> {
  return api.post<{ session_id: string }>("demo", { language });
}
