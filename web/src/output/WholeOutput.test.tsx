import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "antd";
import { afterEach, expect, test, vi } from "vitest";

import type { ExecuteResponse, Json } from "../api/types";
import { LanguageProvider, loadLanguage } from "../i18n";
import { partOf } from "./parts";
import { WholeOutput } from "./WholeOutput";

const first = await loadLanguage("en");

afterEach(() => vi.unstubAllGlobals());

test("parts follow one another where the reader says that the next begins", async () => {
  // A part ends before a character that would be cut, so it is shorter than what was asked for.
  const parts: Record<number, Json> = {
    0: { content: "one ", size: 40, next_offset: 17 },
    17: { content: "two ", size: 40, next_offset: 30 },
    30: { content: "three\u202E", size: 40 },
  };
  const asked: Json[] = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    const { parameters } = JSON.parse(init.body as string) as { parameters: { offset: number } };
    asked.push(parameters.offset);
    return Promise.resolve(new Response(JSON.stringify({ success: true, message: "", result: parts[parameters.offset] })));
  });
  render(
    <LanguageProvider first={first}>
      <App>
        <WholeOutput handle="out:1" />
      </App>
    </LanguageProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Show the whole output" }));
  await userEvent.click(await screen.findByRole("button", { name: "Read on (43 % so far)" }));
  await userEvent.click(await screen.findByRole("button", { name: /Read on \(75 % so far\)/ }));
  await waitFor(() => expect(screen.getByLabelText("The whole output", { selector: "pre" }).textContent).toBe("one two three⟨U+202E⟩"));
  expect(asked).toEqual([0, 17, 30]);
  expect(screen.queryByRole("button", { name: /Read on/ })).toBeNull();
});

const said = (result: Json) => ({ success: true, message: "plain", result }) as ExecuteResponse;

test.each([
  ["bytes", { content: "x", next_offset: 9, size: 18 }, { text: "x", next: { path: "h", offset: 9, limit: 20_000 }, percent: 50 }],
  ["lines", { content: "x", next_start_line: 7 }, { text: "x", next: { path: "h", start_line: 7 }, percent: null }],
  ["the end", { content: "x", size: 1 }, { text: "x", next: null, percent: null }],
  ["the same place again", { content: "", next_offset: 4, size: 8 }, { text: "", next: null, percent: 50 }],
  ["no file at all", "x", { text: "plain", next: null, percent: null }],
])("a part: %s", (_, data, part) => {
  expect(partOf("h", { path: "h", offset: 4, limit: 20_000 }, said(data))).toEqual(part);
});
