// A notification of the browser for every new question, if the person allowed it and does not look at the page.
import { useCallback, useEffect, useRef, useState } from "react";

import { placeOf } from "../api/conversations";
import type { ApprovalRequest } from "../api/types";
import { useText } from "../i18n";
import { navigate } from "../router";
import { visible } from "../text/visible";

const supported = () => "Notification" in window;

export function canAskToNotify(): boolean {
  return supported() && Notification.permission === "default";
}

function notify(title: string, body: string, approval: ApprovalRequest): void {
  try {
    const shown = new Notification(title, { body, tag: approval.id });
    shown.onclick = () => {
      window.focus();
      navigate(placeOf(approval));
      shown.close();
    };
  } catch {
    // Browsers of phones have the class and the permission, yet throw here: the bell has to do.
  }
}

export function useNotifications(pending: readonly ApprovalRequest[]): () => void {
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
      notify(title, visible(body), approval);
    }
  }, [pending, title]);
  return useCallback(() => {
    void Notification.requestPermission().then(() => setAsked(true));
  }, []);
}
