// Cuts Markdown that is still being written into blocks that are finished and the tail that may yet change.
// It only cuts where the two sides mean the same apart as together; where it is in doubt it does not cut.

export interface Block {
  text: string;
  /** It may use a link that is defined elsewhere in the text. */
  refers: boolean;
}

export type Links = Readonly<Record<string, { href: string; title: string | null }>>;

export interface Split {
  done: readonly Block[];
  tail: string;
  /** The tail is a code block that is not closed yet: its language and what is in it so far. */
  openCode: { language: string; text: string } | null;
  links: Links;
}

interface Fence {
  mark: string;
  length: number;
  /** Stands by itself, not in a list or a quote. */
  top: boolean;
  language: string;
  bodyAt: number;
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*)$/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const DEFINITION = /^ {0,3}\[([^\]^][^\]]*)\]:[ \t]*<?([^\s>]+)>?(?:[ \t]+["'(](.*)["')])?[ \t]*$/;
const REFERS = /\[[^[\]]+\](?!\()/;

export class Splitter {
  private text = "";
  /** Where the tail begins, and how far its lines were looked at. */
  private tailAt = 0;
  private lookedTo = 0;
  private fence: Fence | null = null;
  private inList = false;
  private afterBlank = false;
  private done: readonly Block[] = [];
  private links: Links = {};

  /** The whole text so far. What is only longer than before costs what was added. */
  feed(text: string): Split {
    if (!text.startsWith(this.text)) this.reset();
    this.text = text;
    const added: Block[] = [];
    for (;;) {
      const end = text.indexOf("\n", this.lookedTo);
      if (end === -1) break;
      this.line(text.slice(this.lookedTo, end).replace(/\r$/, ""), end + 1, added);
      this.lookedTo = end + 1;
    }
    if (added.length > 0) this.done = [...this.done, ...added];
    const fence = this.fence;
    return {
      done: this.done,
      tail: text.slice(this.tailAt),
      openCode: fence?.top === true ? { language: fence.language, text: text.slice(fence.bodyAt) } : null,
      links: this.links,
    };
  }

  private reset(): void {
    this.tailAt = 0;
    this.lookedTo = 0;
    this.fence = null;
    this.inList = false;
    this.afterBlank = false;
    this.done = [];
    this.links = {};
  }

  private line(line: string, next: number, added: Block[]): void {
    if (this.fence !== null) {
      if (closes(line, this.fence)) {
        const { top } = this.fence;
        this.fence = null;
        if (top) this.cut(next, added);
      }
      return;
    }
    if (line.trim() === "") {
      this.afterBlank = true;
      return;
    }
    const indented = /^(?: {2,}|\t)/.test(line);
    const item = ITEM.test(line);
    const heading = HEADING.test(line);
    const goesOn = indented || (this.inList && item);
    if ((this.afterBlank && !goesOn) || heading) this.cut(this.lookedTo, added);
    this.afterBlank = false;
    if (item) this.inList = true;
    const fence = FENCE.exec(line);
    // Words with backticks behind the marks are no fence but code in a line.
    if (fence && !(fence[2]?.startsWith("`") === true && fence[3]?.includes("`") === true)) {
      const [, indent = "", marks = "", info = ""] = fence;
      const top = indent.length <= 3 && !indent.includes("\t") && !(this.inList && indent !== "");
      if (top) this.cut(this.lookedTo, added);
      const language = info.trim().split(/[\s{]/)[0] ?? "";
      this.fence = { mark: marks.charAt(0), length: marks.length, top, language, bodyAt: next };
      return;
    }
    const definition = DEFINITION.exec(line);
    if (definition) {
      const [, name = "", href = "", title] = definition;
      this.links = { [linkName(name)]: { href, title: title ?? null }, ...this.links };
    }
    if (heading) this.cut(next, added);
  }

  /** All before this place is finished. */
  private cut(at: number, added: Block[]): void {
    const text = this.text.slice(this.tailAt, at);
    if (text.trim() !== "") added.push({ text, refers: REFERS.test(text) });
    this.tailAt = at;
    this.inList = false;
    this.afterBlank = false;
  }
}

function closes(line: string, fence: Fence): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === fence.mark.repeat(trimmed.length);
}

/** Names of links are the same whatever their case and spaces. */
export function linkName(name: string): string {
  return name.toLowerCase().replace(/\s+/g, " ").trim();
}
