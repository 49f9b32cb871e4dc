// Which session the parts of a conversation belong to.
import { createContext, use } from "react";

export interface SessionPlace {
  sessionId: string;
  /** Paths below it are shown from there on. */
  workspace: string | null;
}

export const SessionContext = createContext<SessionPlace | null>(null);

export function useSessionPlace(): SessionPlace | null {
  return use(SessionContext);
}
