// One of the special views, by its name in the address, under a menu of all. Each is loaded when it is looked at.
import { Alert } from "antd";
import { type ComponentType, lazy, type LazyExoticComponent, Suspense, useEffect, useRef } from "react";

import { useText } from "../../i18n";
import { href } from "../../router";
import { Loading } from "../../shell/Loading";
import { OVERSIGHT, type ViewName, VIEWS } from "../../views/names";
import styles from "../console.module.css";
import { useConsoleText } from "../texts";
import viewStyles from "./views.module.css";

const PARTS: Record<ViewName, LazyExoticComponent<ComponentType>> = {
  windows: lazy(async () => ({ default: (await import("./WindowsView")).WindowsView })),
  screenshots: lazy(async () => ({ default: (await import("./ScreenshotsView")).ScreenshotsView })),
  vitals: lazy(async () => ({ default: (await import("./VitalsView")).VitalsView })),
  processes: lazy(async () => ({ default: (await import("./ProcessesView")).ProcessesView })),
  search: lazy(async () => ({ default: (await import("./SearchView")).SearchView })),
  jobs: lazy(async () => ({ default: (await import("./JobsView")).JobsView })),
  undo: lazy(async () => ({ default: (await import("./UndoView")).UndoView })),
  audit: lazy(async () => ({ default: (await import("./AuditView")).AuditView })),
  grants: lazy(async () => ({ default: (await import("./GrantsView")).GrantsView })),
  approvals: lazy(async () => ({ default: (await import("./ApprovalsView")).ApprovalsView })),
};

const ALL: readonly ViewName[] = [...VIEWS, ...OVERSIGHT];

const isView = (name: string): name is ViewName => Object.hasOwn(PARTS, name);

export function ViewsPage({ view }: { view: string }) {
  const names = useText().shell.navigation;
  const text = useConsoleText().views;
  const Part = isView(view) ? PARTS[view] : null;
  const menu = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the menu is wider than the screen.
    menu.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [view]);
  return (
    <>
      <nav ref={menu} className={viewStyles.menu} aria-label={text.menu}>
        {ALL.map((name) => (
          <a key={name} href={href({ name: "view", view: name })} aria-current={name === view ? "page" : undefined}>
            {names[name]}
          </a>
        ))}
      </nav>
      <Suspense fallback={<Loading />}>
        {Part === null ? (
          <div className={styles.page}>
            <Alert type="warning" showIcon title={text.unknown(view)} />
          </div>
        ) : (
          <Part />
        )}
      </Suspense>
    </>
  );
}
