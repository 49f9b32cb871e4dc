// Which page stands where; all but the conversation is loaded when it is first asked for.
import { useQueryClient } from "@tanstack/react-query";
import { lazy, useEffect } from "react";

import { useRefused } from "./api/access";
import { openNotices } from "./api/notices";
import { ConversationView } from "./conversation/ConversationView";
import { followLinks, type Route, useRoute } from "./router";
import { useFirstRun } from "./setup/firstRun";
import { AccessPage } from "./shell/AccessPage";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { Shell } from "./shell/Shell";
import { refuseStrayDrops } from "./shell/strayDrops";

const ConsoleView = lazy(async () => ({ default: (await import("./console/ConsoleView")).ConsoleView }));
const ViewsPage = lazy(async () => ({ default: (await import("./console/views/ViewsPage")).ViewsPage }));
const ApiDocsPage = lazy(async () => ({ default: (await import("./console/ApiDocsPage")).ApiDocsPage }));
const SettingsPage = lazy(async () => ({ default: (await import("./settings/SettingsPage")).SettingsPage }));
const SetupPage = lazy(async () => ({ default: (await import("./setup/SetupPage")).SetupPage }));

/** Whatever breaks down, something is left on the page that says so. */
export function App() {
  return (
    <ErrorBoundary>
      <Whole />
    </ErrorBoundary>
  );
}

function Whole() {
  const client = useQueryClient();
  const route = useRoute();
  const refused = useRefused();
  useEffect(followLinks, []);
  useEffect(refuseStrayDrops, []);
  useEffect(() => {
    if (refused) return;
    const stream = openNotices(client);
    return () => stream.close();
  }, [client, refused]);
  if (refused) return <AccessPage />;
  return (
    <Shell route={route}>
      <FirstRun route={route} />
      <Page route={route} />
    </Shell>
  );
}

function FirstRun({ route }: { route: Route }) {
  useFirstRun(route);
  return null;
}

function Page({ route }: { route: Route }) {
  switch (route.name) {
    case "home":
      return <ConversationView />;
    case "session":
      return <ConversationView key={route.id} sessionId={route.id} />;
    case "tools":
      return <ConsoleView {...(route.tool === undefined ? {} : { tool: route.tool })} />;
    case "view":
      return <ViewsPage view={route.view} />;
    case "settings":
      return <SettingsPage {...(route.section === undefined ? {} : { section: route.section })} />;
    case "setup":
      return <SetupPage />;
    case "api-docs":
      return <ApiDocsPage />;
  }
}
