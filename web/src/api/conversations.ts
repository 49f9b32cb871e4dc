// Which sessions are conversations.
import type { Route } from "../router";
import type { ApprovalRequest } from "./types";

/** Calls by hand belong to no conversation; their session is a name, not an id. */
export function isConversation(sessionId: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(sessionId);
}

/** Where a question stands: in its conversation, or among all of them. */
export function placeOf(approval: ApprovalRequest): Route {
  return isConversation(approval.session_id) ? { name: "session", id: approval.session_id } : { name: "view", view: "approvals" };
}

/** Whether a call belongs to no conversation: somebody made it by hand on the page, or a program over HTTP. */
export const isByHand = (sessionId: string): boolean => sessionId.startsWith("web-console");
