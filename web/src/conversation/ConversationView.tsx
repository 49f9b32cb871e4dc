// One conversation, or the start of a new one.
import { useText } from "../i18n";

export function ConversationView({ sessionId }: { sessionId?: string }) {
  const text = useText();
  return (
    <div style={{ padding: 24 }}>
      <h1>{text.conversation.title}</h1>
      <p>{sessionId}</p>
    </div>
  );
}
