import { expect, test } from "vitest";

import { Splitter } from "./splitter";
import { lex } from "./tokens";

function whole(text: string) {
  return new Splitter().feed(text);
}

/** Everything there is in Markdown, next to everything else. */
const DOCUMENT = `# Title
A paragraph
over two lines.

Another one.
## Head right below
- one

- two, loose

  its own paragraph

  \`\`\`sh
  echo in a list

  # no heading
  \`\`\`
- three

1. first
2. second

> quoted

> quoted apart

\`\`\`rust
fn main() {

# not a heading
- not a list
}
\`\`\`
Right behind.

~~~
\`\`\`
tildes hold backticks
~~~

    indented code

    goes on

| a | b |
|---|---|
| 1 | 2 |

Setext
======

See [the book][Book] and [that].

[book]: https://example.com/book "The book"
[that]: https://example.com/that

last
`;

test("pieces joined are the text", () => {
  const { done, tail } = whole(DOCUMENT);
  expect(done.length).toBeGreaterThan(10);
  expect((done.map((block) => block.text).join("") + tail).replace(/\s+/g, " ")).toBe(DOCUMENT.replace(/\s+/g, " "));
});

test("blocks read one by one mean the same as the text read at once", () => {
  const { done, tail, links } = whole(DOCUMENT);
  const strip = (tokens: ReturnType<typeof lex>) => tokens.filter((token) => token.type !== "space" && token.type !== "def").map((token) => token.type);
  const apart = [...done.map((block) => block.text), tail].flatMap((text) => strip(lex(text, links)));
  expect(apart).toEqual(strip(lex(DOCUMENT, {})));
});

test.each([1, 2, 3, 7, 50])("written %i characters at a time, it comes out the same, and nothing finished changes", (piece) => {
  const splitter = new Splitter();
  let before: readonly { text: string }[] = [];
  for (let end = 0; end <= DOCUMENT.length + piece; end += piece) {
    const { done } = splitter.feed(DOCUMENT.slice(0, end));
    before.forEach((block, index) => expect(done[index]).toBe(block));
    before = done;
  }
  expect(splitter.feed(DOCUMENT)).toEqual(whole(DOCUMENT));
});

test("a code block that is not closed is told, with its language and what is in it", () => {
  const { done, openCode } = whole("Look:\n\n```ts title=x\nconst a = 1;\n\nconst b");
  expect(done.map((block) => block.text)).toEqual(["Look:\n\n"]);
  expect(openCode).toEqual({ language: "ts", text: "const a = 1;\n\nconst b" });
  expect(whole("```ts\nx\n```\n").openCode).toBeNull();
});

test.each([
  ["a fence in a list belongs to the list", "- a\n\n  ```\n  x\n\n  y\n  ```\n\n- b\n\nend\n", 1],
  ["a closing fence needs as many marks", "````\n```\n````\n\nend\n", 1],
  ["backticks in a line are no fence", "```a``` b\n\nend\n\n", 1],
  ["items with empty lines between them are one list", "- a\n\n- b\n\n\n- c\n\nend\n", 1],
])("%s", (_, text, blocks) => {
  expect(whole(text).done).toHaveLength(blocks);
});

test("links that are defined later are known to blocks that refer to them", () => {
  const { done, links } = whole("See [the book][Book].\n\n[book]: https://example.com \"T\"\n\nend\n");
  expect(links).toEqual({ book: { href: "https://example.com", title: "T" } });
  expect(done[0]?.refers).toBe(true);
  expect(whole("plain [x](y)\n\nend\n").done[0]?.refers).toBe(false);
});

test("another text begins anew", () => {
  const splitter = new Splitter();
  splitter.feed("one\n\ntwo\n\n");
  expect(splitter.feed("# other\nx").done.map((block) => block.text)).toEqual(["# other\n"]);
});
