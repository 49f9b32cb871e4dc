// The name of what is open, in the header and in the tab of the browser.
import { useEffect } from "react";

import { useSession } from "../api/queries";
import { titleOf } from "../history/title";
import { type Texts, useText } from "../i18n";
import type { Route } from "../router";
import styles from "./shell.module.css";

export function PageTitle({ route }: { route: Route }) {
  const text = useText();
  const session = useSession(route.name === "session" ? route.id : undefined);
  const title = session.data ? titleOf(session.data, text) : nameOf(route, text);
  useEffect(() => {
    document.title = title === text.shell.product ? title : `${title} · ${text.shell.product}`;
  }, [title, text]);
  return <div className={styles.title}>{title}</div>;
}

function nameOf(route: Route, text: Texts): string {
  const { navigation, product, tabs } = text.shell;
  switch (route.name) {
    case "home":
    case "session":
    case "setup":
      return product;
    case "tools":
      return navigation.console;
    case "view":
      return route.view in navigation ? navigation[route.view as keyof typeof navigation] : product;
    case "settings":
      return tabs.settings;
    case "api-docs":
      return navigation.apiDocs;
  }
}
