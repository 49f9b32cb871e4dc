// The third tab of the sidebar: settings, tools and views.
import { useText } from "../i18n";
import { href, type Route, toPath } from "../router";
import { OVERSIGHT, VIEWS } from "../views/names";
import styles from "./shell.module.css";

export function Navigation({ route }: { route: Route }) {
  const text = useText().shell;
  const names = text.navigation;
  const groups: { title: string; items: { route: Route; label: string }[] }[] = [
    {
      title: text.tabs.settings,
      items: [
        { route: { name: "settings" }, label: names.general },
        { route: { name: "settings", section: "models" }, label: names.models },
        { route: { name: "settings", section: "servers" }, label: names.servers },
        { route: { name: "settings", section: "all" }, label: names.all },
      ],
    },
    {
      title: text.tools,
      items: [
        { route: { name: "tools" }, label: names.console },
        ...VIEWS.map((view) => ({ route: { name: "view" as const, view }, label: names[view] })),
      ],
    },
    {
      title: names.manage,
      items: OVERSIGHT.map((view) => ({ route: { name: "view" as const, view }, label: names[view] })),
    },
    { title: names.program, items: [{ route: { name: "api-docs" }, label: names.apiDocs }] },
  ];
  const here = toPath(route.name === "tools" ? { name: "tools" } : route);
  return (
    <nav className={styles.navigation} aria-label={text.tabs.settings}>
      {groups.map((group) => (
        <section key={group.title}>
          <h2>{group.title}</h2>
          <ul>
            {group.items.map((item) => (
              <li key={toPath(item.route)}>
                <a href={href(item.route)} aria-current={toPath(item.route) === here ? "page" : undefined}>
                  {item.label}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
