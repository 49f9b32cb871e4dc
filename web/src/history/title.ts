// What a session is called.
import type { Session } from "../api/types";
import type { Texts } from "../i18n";

/** The title of a session that has none yet, as the server writes it. */
export const UNTITLED = "新会话";

export function titleOf(session: Pick<Session, "title" | "title_locked">, text: Texts): string {
  return !session.title_locked && session.title === UNTITLED ? text.history.untitled : session.title;
}
