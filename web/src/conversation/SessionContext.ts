// Which session the parts of a conversation belong to, and what they can do there.
import { createContext, use } from "react";

import type { SessionChange } from "../api/types";
import type { CallItem } from "./view";

export interface SessionPlace {
  sessionId: string;
  /** Paths below it are shown from there on. */
  workspace: string | null;
  /** What its calls changed, by the id to undo. */
  changes: ReadonlyMap<string, SessionChange>;
  /** The calls whose question expired and was not asked again since. */
  expired: ReadonlySet<string>;
  /** Asks such a question again; absent while a turn is under way. */
  askAgain: ((call: CallItem) => void) | null;
}

export const SessionContext = createContext<SessionPlace | null>(null);

export function useSessionPlace(): SessionPlace | null {
  return use(SessionContext);
}
