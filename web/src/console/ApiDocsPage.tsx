// The HTTP API, browsable.
import { useText } from "../i18n";

export function ApiDocsPage() {
  const text = useText();
  return (
    <div style={{ padding: 24 }}>
      <h1>{text.shell.navigation.apiDocs}</h1>
    </div>
  );
}
