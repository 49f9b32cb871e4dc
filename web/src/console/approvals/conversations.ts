// Which sessions are conversations.
/** Calls by hand belong to no conversation; their session is a name, not an id. */
export function isConversation(sessionId: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(sessionId);
}
