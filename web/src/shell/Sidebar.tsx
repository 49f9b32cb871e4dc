// The sidebar: files, history and settings, one at a time.
import { FolderOutlined, MessageOutlined, SettingOutlined } from "@ant-design/icons";
import { lazy, Suspense, useState } from "react";

import { HistoryList } from "../history/HistoryList";
import { useText } from "../i18n";
import type { Route } from "../router";
import { Loading } from "./Loading";
import { Navigation } from "./Navigation";
import styles from "./shell.module.css";

const FilesPane = lazy(async () => ({ default: (await import("../files/FilesPane")).FilesPane }));

const TABS = [
  { id: "files", icon: <FolderOutlined aria-hidden /> },
  { id: "history", icon: <MessageOutlined aria-hidden /> },
  { id: "settings", icon: <SettingOutlined aria-hidden /> },
] as const;
type Tab = (typeof TABS)[number]["id"];

export function Sidebar({ route, onDone }: { route: Route; onDone?: () => void }) {
  const text = useText().shell;
  const [tab, setTab] = useState<Tab>(() =>
    ["settings", "view", "tools", "api-docs"].includes(route.name) ? "settings" : "history",
  );
  const sessionId = route.name === "session" ? route.id : undefined;
  const move = (step: number) => {
    const index = TABS.findIndex(({ id }) => id === tab);
    const next = TABS[(index + step + TABS.length) % TABS.length];
    if (next === undefined) return;
    setTab(next.id);
    document.getElementById(`side-tab-${next.id}`)?.focus();
  };
  return (
    <div className={styles.sideInside}>
      <div
        role="tablist"
        aria-label={text.sidebar}
        className={styles.tabs}
        onKeyDown={(event) => {
          if (event.key === "ArrowRight") move(1);
          if (event.key === "ArrowLeft") move(-1);
        }}
      >
        {TABS.map(({ id, icon }) => (
          <button
            key={id}
            id={`side-tab-${id}`}
            type="button"
            role="tab"
            aria-selected={tab === id}
            aria-controls="side-pane"
            tabIndex={tab === id ? 0 : -1}
            className={styles.tab}
            onClick={() => setTab(id)}
          >
            {icon}
            {text.tabs[id]}
          </button>
        ))}
      </div>
      <div id="side-pane" role="tabpanel" aria-labelledby={`side-tab-${tab}`} className={styles.pane}>
        <Suspense fallback={<Loading />}>
          {tab === "files" && <FilesPane sessionId={sessionId} />}
          {tab === "history" && <HistoryList current={sessionId} onDone={onDone} />}
          {tab === "settings" && <Navigation route={route} />}
        </Suspense>
      </div>
    </div>
  );
}
