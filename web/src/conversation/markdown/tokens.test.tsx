import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { App } from "antd";
import type { ReactNode } from "react";
import { expect, test } from "vitest";

import { LanguageProvider, loadLanguage } from "../../i18n";
import { Markdown } from "./Markdown";
import { decodeEntities, safeImage, safeLink, withFileRefs } from "./safe";

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

function shown(text: string, open = false): HTMLElement {
  return render(<Markdown text={text} open={open} />, { wrapper: Around }).container;
}

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a <b onclick=alert(1)>b</b> c",
  "<iframe src='https://example.com'></iframe>",
  "<style>*{display:none}</style>",
  "- <svg onload=alert(1)>",
  "| <a href=javascript:alert(1)>x</a> |\n|---|\n| <object data=x> |",
  "<!-- hidden -->",
])("HTML is shown, not made: %s", (text) => {
  const box = shown(text);
  expect(box.querySelector("script, img, iframe, style, svg:not(.anticon svg), object, b, [onclick], [onload], [onerror]")).toBeNull();
  expect(box.querySelector("a")).toBeNull();
  const words = /<[^>]+>/.exec(text)?.[0] ?? "";
  expect(box.textContent).toContain(words);
});

test.each([
  ["https://example.com/a?b=c", "https://example.com/a?b=c"],
  ["http://example.com", "http://example.com/"],
  ["mailto:me@example.com", "mailto:me@example.com"],
  ["javascript:alert(1)", null],
  ["JaVaScRiPt:alert(1)", null],
  ["java\nscript:alert(1)", null],
  ["javascript&#58;alert(1)", null],
  ["data:text/html,<script>", null],
  ["vbscript:x", null],
  ["file:///etc/passwd", null],
  ["//example.com", null],
  ["/api/v1/settings", null],
  ["#x", null],
])("the link %s", (address, expected) => {
  expect(safeLink(address)).toBe(expected);
});

test.each([
  ["data:image/png;base64,AAAA", true],
  ["blob:http://localhost:3000/x", true],
  ["/icon.svg", true],
  ["http://localhost:3000/icon.svg", true],
  ["https://example.com/track.gif", false],
  ["//example.com/track.gif", false],
  ["data:text/html,x", false],
  ["blob:https://example.com/x", false],
  ["javascript:alert(1)", false],
])("the picture %s", (address, allowed) => {
  expect(safeImage(address, "http://localhost:3000") !== null).toBe(allowed);
});

test("links open elsewhere and tell nothing of this page", () => {
  const link = shown("[x](https://example.com) and https://example.org").querySelectorAll("a");
  expect(link).toHaveLength(2);
  for (const one of link) {
    expect(one.getAttribute("target")).toBe("_blank");
    expect(one.getAttribute("rel")).toBe("noopener noreferrer");
  }
});

test("a link that may not be followed is a text", () => {
  const box = shown("[press me](javascript:alert(1)) ![p](https://example.com/t.gif)");
  expect(box.querySelector("img")).toBeNull();
  expect(box.textContent).toContain("press me");
  expect(box.querySelectorAll("a")).toHaveLength(1);
});

test("tables, lists, code and headings are what they are", () => {
  const box = shown("# T\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n3. x\n4. y\n\n- [x] done\n\n```js\n1 < 2\n```\n");
  expect(box.querySelector("h3")?.textContent).toBe("T");
  expect(box.querySelectorAll("th")).toHaveLength(2);
  expect(box.querySelectorAll("td")[1]?.style.textAlign).toBe("right");
  expect(box.querySelector("ol")?.getAttribute("start")).toBe("3");
  expect(box.querySelector<HTMLInputElement>("input[type=checkbox]")?.checked).toBe(true);
  expect(box.querySelector("pre code")?.textContent).toBe("1 < 2");
});

test("a reference in one block finds its address in another", () => {
  const box = shown("See [it][1].\n\nMore.\n\n[1]: https://example.com/one\n");
  expect(box.querySelector("a")?.getAttribute("href")).toBe("https://example.com/one");
});

test("what is being written is shown, too", () => {
  expect(shown("Done.\n\n```py\nprint(1", true).querySelector("pre")?.textContent).toBe("print(1");
  expect(shown("Half a **bold", true).textContent).toContain("Half a **bold");
});

test("an upload in a text is a chip", () => {
  const box = shown("Look at [file_ref:0192-ab] please");
  expect(box.querySelector("button")?.textContent).toContain("file 0192-ab");
  expect(box.textContent).not.toContain("[file_ref");
});

test("pieces with uploads", () => {
  expect(withFileRefs("a [file_ref:x-1] b")).toEqual([
    { kind: "text", text: "a " },
    { kind: "file", id: "x-1" },
    { kind: "text", text: " b" },
  ]);
  expect(withFileRefs("[file_ref:<b>]")).toEqual([{ kind: "text", text: "[file_ref:<b>]" }]);
});

test.each([
  ["&lt;b&gt; &amp;amp; &#20320;&#x597d; &mdash;", "<b> &amp; 你好 —"],
  ["&unknown; &#0; &#xD800; & b", "&unknown; \ufffd \ufffd & b"],
])("entities: %s", (text, expected) => {
  expect(decodeEntities(text)).toBe(expected);
});
