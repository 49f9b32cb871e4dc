// One conversation, or the start of a new one.
import { Home } from "./Home";
import { Talk } from "./Talk";

export function ConversationView({ sessionId }: { sessionId?: string }) {
  return sessionId === undefined ? <Home /> : <Talk key={sessionId} sessionId={sessionId} />;
}
