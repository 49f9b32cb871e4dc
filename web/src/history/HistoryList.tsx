// The list of conversations.
import { useSessions } from "../api/queries";
import { useText } from "../i18n";
import { href } from "../router";
import { titleOf } from "./title";

export function HistoryList({ current }: { current: string | undefined; onDone?: (() => void) | undefined }) {
  const text = useText();
  const sessions = useSessions(false).data?.pages.flatMap((page) => page.sessions) ?? [];
  return (
    <ul aria-label={text.history.list}>
      {sessions.map((session) => (
        <li key={session.id}>
          <a href={href({ name: "session", id: session.id })} aria-current={session.id === current ? "page" : undefined}>
            {titleOf(session, text)}
          </a>
        </li>
      ))}
    </ul>
  );
}
