// The frame of the page: sidebar, header, content, tool panel.
import { Drawer } from "antd";
import { type ReactNode, Suspense, useCallback, useMemo, useState } from "react";

import { PreviewHost } from "../files/PreviewHost";
import { useText } from "../i18n";
import type { Route } from "../router";
import { ConnectionBanner } from "./ConnectionBanner";
import { ErrorBoundary } from "./ErrorBoundary";
import { Header } from "./Header";
import { Loading } from "./Loading";
import styles from "./shell.module.css";
import { Sidebar } from "./Sidebar";
import { PanelSlotContext } from "./ToolPanel";
import { useSidebarOpen } from "./useSidebarOpen";
import { useWidth } from "./useWidth";

export function Shell({ route, children }: { route: Route; children: ReactNode }) {
  const text = useText();
  const phone = useWidth() === "phone";
  // The drawer belongs to the route on which it was opened: to go somewhere closes it.
  const [drawerOn, setDrawerOn] = useState<Route | null>(null);
  const drawer = drawerOn === route;
  const [beside, setBeside] = useSidebarOpen();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [panels, setPanels] = useState(0);
  const opened = useCallback(() => {
    setPanels((count) => count + 1);
    return () => setPanels((count) => count - 1);
  }, []);
  const panelSlot = useMemo(() => ({ element: slot, opened }), [slot, opened]);
  const closeDrawer = useCallback(() => setDrawerOn(null), []);
  const toggle = () => (phone ? setDrawerOn(drawer ? null : route) : setBeside(!beside));

  return (
    <PanelSlotContext value={panelSlot}>
      <a className={styles.skip} href="#main" onClick={focusMain}>
        {text.shell.skip}
      </a>
      <div className={styles.frame}>
        {phone ? (
          <Drawer
            placement="left"
            open={drawer}
            onClose={closeDrawer}
            size="min(320px, 88vw)"
            closable={false}
            aria-label={text.shell.sidebar}
            styles={{ body: { padding: 0, background: "var(--dh-bg-side)" } }}
          >
            <Sidebar route={route} onDone={closeDrawer} />
          </Drawer>
        ) : (
          beside && (
            <aside className={styles.side} aria-label={text.shell.sidebar}>
              <Sidebar route={route} />
            </aside>
          )
        )}
        <div className={styles.centre}>
          <Header route={route} sidebarOpen={phone ? drawer : beside} onToggleSidebar={toggle} />
          <ConnectionBanner />
          <main id="main" tabIndex={-1} className={styles.main}>
            <ErrorBoundary key={JSON.stringify(route)}>
              <Suspense fallback={<Loading />}>{children}</Suspense>
            </ErrorBoundary>
          </main>
        </div>
        <aside
          ref={setSlot}
          className={styles.panel}
          hidden={panels === 0}
          aria-label={text.shell.panel}
        />
      </div>
      <PreviewHost />
    </PanelSlotContext>
  );
}

/** The address stays as it is. */
function focusMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
