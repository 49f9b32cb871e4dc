// What a person does to a conversation, as requests.
import { api, ApiError } from "../api/client";
import type { MessageSent, Mode, SessionItem, Upload } from "../api/types";
import { messageBefore } from "./useMessages";

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

export function startDemo(language: "en" | "zh"): Promise<{ session_id: string }> {
  return api.post<{ session_id: string }>("demo", { language });
}
