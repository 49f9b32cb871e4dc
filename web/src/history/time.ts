// How long ago something was, in words that go on being true.
import { useSyncExternalStore } from "react";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From here on the date says more than the number of days. */
const LONG_AGO = 30 * DAY;

const TICK = 30 * SECOND;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    listeners.forEach((each) => each());
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, to half a minute; whoever uses it is drawn anew when it has changed. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    // Without a timer the kept time is as old as the last list that was shown.
    if (timer === undefined) now = Date.now();
    return now;
  });
}

/** `2h ago`, `yesterday`, `昨天`; a date when it is more than a month. */
export function relativeTime(then: string, at: number, locale: string): string {
  const time = Date.parse(then);
  if (Number.isNaN(time)) return "";
  const words = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "narrow" });
  const passed = Math.max(0, at - time);
  if (passed < MINUTE) return words.format(0, "second");
  if (passed < HOUR) return words.format(-Math.floor(passed / MINUTE), "minute");
  const days = daysBetween(time, at);
  if (days === 0 || passed < 6 * HOUR) return words.format(-Math.floor(passed / HOUR), "hour");
  if (passed < LONG_AGO) return words.format(-days, "day");
  return new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" }).format(time);
}

/** Midnights between two moments, where the person is. */
function daysBetween(from: number, to: number): number {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  return Math.round((midnight(to) - midnight(from)) / DAY);
}

export function fullTime(then: string, locale: string): string {
  const time = Date.parse(then);
  if (Number.isNaN(time)) return then;
  return new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" }).format(time);
}
