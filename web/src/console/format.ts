// Times and paths as people read them.
import type { PathText } from "../api/types";
import type { Language } from "../i18n";
import { locale } from "../i18n/locale";
import { visible } from "../text/visible";

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `3 d 4 h`, in the words of the language. */
export function spanText(seconds: number, language: Language): string {
  const [d, h, min, s] = language === "zh" ? ["天", "小时", "分", "秒"] : ["d", "h", "min", "s"];
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  if (days > 0) return `${days} ${d} ${hours} ${h}`;
  if (hours > 0) return `${hours} ${h} ${minutes} ${min}`;
  return minutes > 0 ? `${minutes} ${min}` : `${Math.floor(seconds)} ${s}`;
}

/** The time of day alone where it is today, else with the date. */
export function timeText(time: string | number, language: Language): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const today = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(locale(language), {
    ...(today ? {} : { year: "numeric", month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(date);
}

/** A path that is not UTF-8 is shown by its bytes. */
export function pathShown(path: PathText): string {
  return typeof path === "string" ? visible(path) : `0x${path.bytes}`;
}
