// The files of the workspace and of the session.
import { useText } from "../i18n";

export function FilesPane({ sessionId }: { sessionId: string | undefined }) {
  const text = useText();
  return (
    <div>
      {text.files.title} {sessionId}
    </div>
  );
}
