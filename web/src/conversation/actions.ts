// What a person does to a conversation, as requests.
import { api } from "../api/client";
import type { MessageSent, SessionItem } from "../api/types";
import { messageBefore } from "./useMessages";

function session(id: string): string {
  return `sessions/${encodeURIComponent(id)}`;
}

export function createSession(model: string | null): Promise<SessionItem> {
  return api.post<SessionItem>("sessions", model === null ? {} : { model });
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

/** A copy of the conversation up to the message before this one, in which `content` is said instead. */
export async function forkAndSay(sessionId: string, messageId: number, content: string, uploads: readonly string[]): Promise<string> {
  const kept = await messageBefore(sessionId, messageId);
  const copy = await api.post<SessionItem>(`${session(sessionId)}/fork`, { at_message: kept });
  await say(copy.id, content, uploads);
  return copy.id;
}

export function setModel(sessionId: string, model: string): Promise<SessionItem> {
  return api.put<SessionItem>(session(sessionId), { model });
}

export function startDemo(language: "en" | "zh"): Promise<{ session_id: string }> {
  return api.post<{ session_id: string }>("demo", { language });
}
