import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import type { ExecuteResponse } from "../../api/types";
import { FakeEventSource } from "../../test/FakeEventSource";
import { serve, show } from "../../test/page";
import { JobOutput } from "../views/JobOutput";
import { OutcomeView } from "./OutcomeView";

const COLOURED = "\u001B[31mred\u001B[0m and\u202E turned";
const PLAIN = "red and⟨U+202E⟩ turned";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  Reflect.deleteProperty(document, "execCommand");
});

/** What browsers had before there was a clipboard for pages; jsdom has neither. */
function oldCopy(execCommand: () => boolean): void {
  Object.assign(document, { execCommand });
}

test("what a program wrote for a terminal is shown as text, and copied as it is", async () => {
  const response = { success: true, status: "success", result: null, message: COLOURED, need_confirmation: false, confirmation_message: null } as unknown as ExecuteResponse;
  await show(<OutcomeView response={response} />);
  expect(screen.getByText(PLAIN)).toBeTruthy();
  // No TLS: the modern way is shut, the old one is not.
  let copied = "";
  oldCopy(() => {
    copied = document.querySelector<HTMLTextAreaElement>("body > textarea")?.value ?? "";
    return true;
  });
  fireEvent.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  expect(copied).toBe(COLOURED);
});

test("where nothing can be copied, the button says so", async () => {
  const response = { success: true, status: "success", result: null, message: "x", need_confirmation: false, confirmation_message: null } as unknown as ExecuteResponse;
  await show(<OutcomeView response={response} />);
  oldCopy(() => false);
  fireEvent.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByText("The browser does not allow copying here.")).toBeTruthy();
});

test("the output of a job is shown the same way", async () => {
  vi.stubGlobal("EventSource", FakeEventSource);
  serve({});
  await show(<JobOutput id="j1" />);
  FakeEventSource.latest.send("output", { stream: "stdout", text: COLOURED });
  expect(await screen.findByText(PLAIN)).toBeTruthy();
});
