// Server-sent events that come back by themselves: after a loss the stream goes on behind the last event it saw.
import { address, type Query } from "./client";
import { EVENT_TYPES, type SessionEvent } from "./types";

export type StreamState = "connecting" | "open" | "lost";

export interface StreamOptions {
  path: string;
  query?: Query;
  /** The names of the events to listen to. */
  types: readonly string[];
  onEvent: (type: string, data: unknown, id: string) => void;
  onState?: (state: StreamState) => void;
  /** Go on behind this event (streams with numbers only). */
  after?: number;
  /** Give the connection back while nobody looks at the page: browsers allow only six of them. */
  pauseWhenHidden?: boolean;
}

export interface Stream {
  close: () => void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
/** Long enough for a glance at another tab, short enough that six tabs do not use up the connections. */
const HIDDEN_GRACE = 2000;

/** How long to wait before the attempt of this number, counted from 0. */
export function waitBefore(attempt: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt);
}

export function openStream(options: StreamOptions): Stream {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let last = options.after;
  let closed = false;
  let asleep = false;

  const drop = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };

  const connect = () => {
    drop();
    options.onState?.(attempt === 0 ? "connecting" : "lost");
    const opened = new EventSource(address(options.path, { ...options.query, after: last }));
    source = opened;
    opened.onopen = () => {
      attempt = 0;
      options.onState?.("open");
    };
    // The browser's own retry knows neither our waits nor answers that are no stream: we always connect anew.
    opened.onerror = () => {
      if (source !== opened) return;
      drop();
      options.onState?.("lost");
      timer = setTimeout(connect, waitBefore(attempt));
      attempt += 1;
    };
    for (const type of options.types) {
      opened.addEventListener(type, (event: MessageEvent<string>) => {
        if (source !== opened) return;
        const id = event.lastEventId;
        if (last !== undefined && id !== "") {
          const seq = Number(id);
          if (seq <= last) return;
          last = seq;
        }
        options.onEvent(type, JSON.parse(event.data), id);
      });
    }
  };

  const wake = () => {
    if (closed || asleep || (source !== null && source.readyState === EventSource.OPEN)) return;
    attempt = 0;
    connect();
  };

  const onVisibility = () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) {
      if (!options.pauseWhenHidden) return;
      hiddenTimer = setTimeout(() => {
        asleep = true;
        drop();
      }, HIDDEN_GRACE);
    } else if (asleep) {
      asleep = false;
      wake();
    }
  };

  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("online", wake);
  connect();
  // A tab that is opened in the background is hidden from the start.
  if (document.hidden) onVisibility();
  return {
    close: () => {
      closed = true;
      clearTimeout(hiddenTimer);
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("online", wake);
      drop();
    },
  };
}

/** The events of one session behind `after`, each once and in order. */
export function openSessionEvents(
  sessionId: string,
  after: number,
  onEvent: (event: SessionEvent) => void,
  onState?: (state: StreamState) => void,
): Stream {
  return openStream({
    path: `sessions/${encodeURIComponent(sessionId)}/events`,
    after,
    types: EVENT_TYPES,
    pauseWhenHidden: true,
    onEvent: (_, data) => onEvent(data as SessionEvent),
    ...(onState ? { onState } : {}),
  });
}
