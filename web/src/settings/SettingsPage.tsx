// Settings, by section.
import { useText } from "../i18n";

export function SettingsPage({ section }: { section?: string }) {
  const text = useText();
  return (
    <div style={{ padding: 24 }}>
      <h1>{text.settings.title}</h1>
      <p>{section}</p>
    </div>
  );
}
