// Whether to begin with the set-up: there is no model, nothing was talked about, and the person has not passed it by.
import { useEffect } from "react";

import { useAbout, useSessions } from "../api/queries";
import { navigate, type Route } from "../router";

const KEPT = "deskhand.setup";

/** The person went on, with a model or without: the set-up does not come by itself again. */
export function passSetup(): void {
  localStorage.setItem(KEPT, "passed");
}

export function useFirstRun(route: Route): void {
  const about = useAbout().data;
  const sessions = useSessions(false).data?.pages[0]?.total;
  const first = route.name === "home" && about?.model === null && about.user.owner && sessions === 0;
  useEffect(() => {
    if (first && localStorage.getItem(KEPT) === null) navigate({ name: "setup" }, { replace: true });
  }, [first]);
}
