import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { LanguageProvider, loadLanguage } from "../../i18n";
import { RowBoundary } from "./RowBoundary";

const first = await loadLanguage("en");

afterEach(() => vi.restoreAllMocks());

function Row({ text }: { text: string }) {
  if (text === "bad") throw new Error("cannot draw this");
  return <p>{text}</p>;
}

const list = (texts: string[]) => (
  <LanguageProvider first={first}>
    {texts.map((text, index) => (
      <RowBoundary key={index} of={text}>
        <Row text={text} />
      </RowBoundary>
    ))}
  </LanguageProvider>
);

test("one row that cannot be drawn leaves the others, and comes back when it changes", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { rerender } = render(list(["one", "bad", "three"]));
  expect(screen.getByText("one")).toBeTruthy();
  expect(screen.getByText("three")).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toBe("This part cannot be shown. cannot draw this");
  rerender(list(["one", "two", "three"]));
  expect(screen.getByText("two")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});
