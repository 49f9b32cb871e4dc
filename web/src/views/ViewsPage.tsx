// One of the special views, by its name in the address.
import { useText } from "../i18n";

export function ViewsPage({ view }: { view: string }) {
  const text = useText();
  return (
    <div style={{ padding: 24 }}>
      <h1>{text.views.title}</h1>
      <p>{view}</p>
    </div>
  );
}
