import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { LanguageProvider, loadLanguage } from "../i18n";
import { RelativeTime } from "./RelativeTime";
import { relativeTime } from "./time";
import { createElement } from "react";

afterEach(() => {
  vi.useRealTimers();
});

const noon = new Date(2026, 5, 15, 12, 0, 0).getTime();
const before = (ms: number) => new Date(noon - ms).toISOString();
const minute = 60_000;
const hour = 60 * minute;

test.each([
  [20_000, "now", "现在"],
  [5 * minute, "5m ago", "5分钟前"],
  [2 * hour, "2h ago", "2小时前"],
  [20 * hour, "yesterday", "昨天"],
  [3 * 24 * hour, "3d ago", "3天前"],
  [60 * 24 * hour, "Apr 16, 2026", "2026年4月16日"],
])("%i ms ago", (ms, en, zh) => {
  expect(relativeTime(before(ms), noon, "en")).toBe(en);
  expect(relativeTime(before(ms), noon, "zh-CN")).toBe(zh);
});

test("shortly after midnight an hour ago is an hour ago, not yesterday", () => {
  const night = new Date(2026, 5, 15, 0, 30, 0).getTime();
  expect(relativeTime(new Date(night - hour).toISOString(), night, "en")).toBe("1h ago");
});

test("a clock that is ahead of ours, and text that is no time, do no harm", () => {
  expect(relativeTime(new Date(noon + hour).toISOString(), noon, "en")).toBe("now");
  expect(relativeTime("soon", noon, "en")).toBe("");
});

test("what is shown goes on being true", async () => {
  const first = await loadLanguage("en");
  vi.useFakeTimers({ now: noon });
  const shown = createElement(RelativeTime, { at: before(minute) });
  render(createElement(LanguageProvider, { first, children: shown }));
  expect(screen.getByText("1m ago")).toBeTruthy();
  act(() => {
    vi.advanceTimersByTime(3 * minute);
  });
  expect(screen.getByText("4m ago")).toBeTruthy();
});
