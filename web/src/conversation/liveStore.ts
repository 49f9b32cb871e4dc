// The live state of one session: events come as fast as they like, the page is told once per frame.
import { openSessionEvents, type Stream } from "../api/events";
import type { SessionEvent } from "../api/types";
import { keepSeen } from "./finished";
import { type LiveState, reduceAll, startOf } from "./live";

/** Nobody paints a page that is hidden, yet it has to keep up. */
const HIDDEN_WAIT = 500;

export class LiveStore {
  private state: LiveState;
  private waiting: SessionEvent[] = [];
  private readonly listeners = new Set<() => void>();
  private cancelTimer: (() => void) | null = null;

  constructor(after: number) {
    this.state = startOf(after);
  }

  get = (): LiveState => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  open(sessionId: string): Stream {
    const stream = openSessionEvents(sessionId, this.state.seq, (event) => this.push(event));
    return {
      close: () => {
        this.cancelTimer?.();
        this.cancelTimer = null;
        stream.close();
      },
    };
  }

  push(event: SessionEvent): void {
    this.waiting.push(event);
    this.cancelTimer ??= later(() => this.flush());
  }

  flush(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    const events = this.waiting;
    this.waiting = [];
    const before = this.state;
    this.state = reduceAll(before, events);
    if (this.state === before) return;
    const { turn } = this.state;
    if (turn !== null && turn.outcome !== null && turn !== before.turn) keepSeen(turn);
    this.listeners.forEach((listener) => listener());
  }
}

function later(act: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(act, HIDDEN_WAIT);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(act);
  // A frame that never comes, since the page was hidden meanwhile.
  const timer = setTimeout(() => {
    cancelAnimationFrame(frame);
    act();
  }, HIDDEN_WAIT);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
