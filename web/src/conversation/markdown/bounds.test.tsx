import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { App } from "antd";
import { Lexer } from "marked";
import type { ReactNode } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";

import { LanguageProvider, loadLanguage } from "../../i18n";
import { isTooMuch } from "./bounds";
import { Markdown } from "./Markdown";

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

afterEach(() => vi.restoreAllMocks());

describe("what is too deep or too long is shown as it is written", () => {
  test.each([
    ["quotes", ">".repeat(10_000)],
    ["quotes with spaces", "> ".repeat(10_000)],
    ["lists", "- ".repeat(10_000)],
    ["numbers", "1. ".repeat(10_000)],
    ["quotes and lists", "> - ".repeat(5000)],
    ["lists line by line", Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n")],
    ["stars before a word", `${"*".repeat(20_000)}a`],
    ["stars around a word", `${"*".repeat(10_000)}a${"*".repeat(10_000)}`],
    ["lines below a word", `${"_".repeat(20_000)}a`],
    ["brackets", "[".repeat(20_000)],
    ["stars and words", "*a".repeat(10_000)],
    ["stars in words", "a**b".repeat(5000)],
    ["code in a line before it", `\`\`\`a\`\`\` ${"*".repeat(20_000)}a`],
    ["a block without end", "word ".repeat(20_000)],
  ])("%s", (_, text) => {
    const lexed = vi.spyOn(Lexer.prototype, "lex");
    const { container } = render(<Markdown text={text} />, { wrapper: Around });
    expect(container.querySelector("pre")?.textContent).toBe(text);
    expect(lexed).not.toHaveBeenCalled();
  });

  test("also while it is being written", () => {
    const { container } = render(<Markdown text={">".repeat(3000)} open />, { wrapper: Around });
    expect(container.querySelector("pre")?.textContent).toBe(">".repeat(3000));
  });
});

test.each([
  ["a line across", `a\n\n${"-".repeat(400)}\n\n${"*".repeat(400)}\n`],
  ["a table", `| a | b |\n|${"-".repeat(300)}|---|\n| 1 | 2 |`],
  ["many items", "- **a** and *b*\n\n".repeat(900)],
  ["code", `\`\`\`\n${">".repeat(9000)}\n\`\`\``],
  ["quotes in quotes", ">>>> a"],
])("what people write is read: %s", (_, text) => {
  expect(isTooMuch(text)).toBe(false);
});

test("where the reader gives up, the text is there", () => {
  vi.spyOn(Lexer.prototype, "lex").mockImplementation(() => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  const { container } = render(<Markdown text="some *words*" />, { wrapper: Around });
  expect(container.querySelector("pre")?.textContent).toBe("some *words*");
});
