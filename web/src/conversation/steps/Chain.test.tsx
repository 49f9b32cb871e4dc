import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { App } from "antd";
import type { ReactNode } from "react";
import { expect, test } from "vitest";

import { LanguageProvider, loadLanguage } from "../../i18n";
import { newCall } from "../live";
import type { StepItem } from "../view";
import { Chain } from "./Chain";

const first = await loadLanguage("en");

function Around({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider first={first}>
        <App>{children}</App>
      </LanguageProvider>
    </QueryClientProvider>
  );
}

const call = (id: string): StepItem => ({ ...newCall(id, `tool_${id}`, 0), arguments: { path: `/w/${id}\u202E` } });

test("rows stay what they are when the chain becomes long enough to fold", () => {
  const steps = ["a", "b", "c"].map(call);
  const { rerender } = render(<Chain steps={steps} active running />, { wrapper: Around });
  expect(screen.queryByRole("button", { name: /steps/ })).toBeNull();
  const row = screen.getByRole("button", { name: /tool_a/ });
  fireEvent.click(row);
  expect(row.getAttribute("aria-expanded")).toBe("true");
  rerender(<Chain steps={[...steps, call("d")]} active running />);
  expect(screen.getByRole("button", { name: /4 steps/ })).toBeTruthy();
  expect(screen.getByRole("button", { name: /tool_a/ })).toBe(row);
  expect(row.getAttribute("aria-expanded")).toBe("true");
});

test("a row names what nobody sees", () => {
  render(<Chain steps={[call("a")]} active running />, { wrapper: Around });
  expect(screen.getByRole("button").textContent).toContain("/w/a⟨U+202E⟩");
});
