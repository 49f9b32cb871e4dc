// The first run: a model, or none.
import { useText } from "../i18n";

export function SetupPage() {
  const text = useText();
  return (
    <div style={{ padding: 24 }}>
      <h1>{text.setup.title}</h1>
    </div>
  );
}
