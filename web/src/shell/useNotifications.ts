// A notification of the browser for every new question, if the person allowed it and does not look at the page.
import { useCallback, useEffect, useRef, useState } from "react";

import type { PendingApproval } from "../api/types";
import { useText } from "../i18n";
import { navigate } from "../router";

const supported = () => "Notification" in window;

export function canAskToNotify(): boolean {
  return supported() && Notification.permission === "default";
}

export function useNotifications(pending: readonly PendingApproval[]): () => void {
  const title = useText().shell.notifyTitle;
  const known = useRef<Set<string> | null>(null);
  const [, setAsked] = useState(false);
  useEffect(() => {
    const ids = new Set(pending.map((approval) => approval.id));
    const before = known.current;
    known.current = ids;
    if (before === null || !document.hidden || !supported() || Notification.permission !== "granted") return;
    for (const approval of pending) {
      if (before.has(approval.id)) continue;
      const body = approval.subject.about === "execution" ? approval.subject.plan.summary : approval.tool;
      const shown = new Notification(title, { body, tag: approval.id });
      shown.onclick = () => {
        window.focus();
        navigate({ name: "session", id: approval.session_id });
        shown.close();
      };
    }
  }, [pending, title]);
  return useCallback(() => {
    void Notification.requestPermission().then(() => setAsked(true));
  }, []);
}
