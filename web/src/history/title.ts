// What a session is called.
import type { Session } from "../api/types";
import type { Texts } from "../i18n";
import { visible } from "../text/visible";

/** The title of a session that has none yet, as the server writes it. */
export const UNTITLED = "新会话";

/** As it is shown. */
export function titleOf(session: Pick<Session, "title" | "title_locked">, text: Texts): string {
  return visible(titleToEdit(session, text));
}

/** As it is. */
export function titleToEdit(session: Pick<Session, "title" | "title_locked">, text: Texts): string {
  return !session.title_locked && session.title === UNTITLED ? text.history.untitled : session.title;
}
