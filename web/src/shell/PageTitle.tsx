// The name of what is open, in the header and in the tab of the browser.
import { useEffect, useState } from "react";

import { useSession } from "../api/queries";
import type { SessionItem } from "../api/types";
import { SessionMenu } from "../history/SessionMenu";
import { titleOf } from "../history/title";
import { TitleEditor } from "../history/TitleEditor";
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
  return session.data ? (
    <SessionTitle key={session.data.id} session={session.data} title={title} />
  ) : (
    <div className={styles.title}>{title}</div>
  );
}

function SessionTitle({ session, title }: { session: SessionItem; title: string }) {
  const text = useText();
  const [editing, setEditing] = useState(false);
  if (editing) {
    return (
      <div className={styles.title}>
        <TitleEditor session={session} className={styles.titleEditor} onDone={() => setEditing(false)} />
      </div>
    );
  }
  return (
    <div className={styles.title}>
      <span className={styles.titleText} title={title}>
        {title}
      </span>
      {session.metadata.demo === true && <span className={styles.demo}>{text.history.demo}</span>}
      <SessionMenu session={session} label={text.shell.sessionMenu} onRename={() => setEditing(true)} />
    </div>
  );
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
