// Unified diffs, read into lines; and the change that the arguments of an edit describe.
import type { Json } from "../../api/types";

export interface DiffLine {
  kind: "file" | "hunk" | "added" | "removed" | "same";
  text: string;
  /** Line numbers before and after. */
  old: number | null;
  new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function diffLines(diff: string): DiffLine[] {
  let before = 0;
  let after = 0;
  // How many lines the hunk still has, by its own count: in it, lines that look like the head of a file are lines.
  let oldLeft = 0;
  let newLeft = 0;
  return diff.replace(/\n$/, "").split("\n").map((text): DiffLine => {
    const mark = text.charAt(0);
    if (mark === "-" && oldLeft > 0) {
      oldLeft -= 1;
      return { kind: "removed", text: text.slice(1), old: before++, new: null };
    }
    if (mark === "+" && newLeft > 0) {
      newLeft -= 1;
      return { kind: "added", text: text.slice(1), old: null, new: after++ };
    }
    if ((mark === " " || mark === "") && oldLeft > 0 && newLeft > 0) {
      oldLeft -= 1;
      newLeft -= 1;
      return { kind: "same", text: text.slice(1), old: before++, new: after++ };
    }
    if (mark === "\\") return { kind: "hunk", text, old: null, new: null };
    const hunk = HUNK.exec(text);
    before = Number(hunk?.[1] ?? 0);
    after = Number(hunk?.[3] ?? 0);
    oldLeft = hunk === null ? 0 : Number(hunk[2] ?? 1);
    newLeft = hunk === null ? 0 : Number(hunk[4] ?? 1);
    return { kind: hunk === null ? "file" : "hunk", text, old: null, new: null };
  });
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "added").length,
    removed: lines.filter((line) => line.kind === "removed").length,
  };
}

/** Whether a text is a diff, though nobody said so. */
export function looksLikeDiff(text: string): boolean {
  return /^--- .+\n\+\+\+ .+\n@@ /m.test(text);
}

interface Edit {
  old: string;
  new: string;
}

/** The change that an edit's arguments describe, where no plan tells: lines taken out and put in. */
export function diffOfArguments(args: Json): DiffLine[] | null {
  const edits = editsIn(args);
  if (edits.length === 0) return null;
  return edits.flatMap((edit, index) => {
    const head: DiffLine[] = index === 0 ? [] : [{ kind: "hunk", text: "", old: null, new: null }];
    return [...head, ...between(edit)];
  });
}

function editsIn(args: Json): Edit[] {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return [];
  const pair = (value: Json): Edit[] => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
    const { old_text: before, new_text: after } = value;
    return typeof before === "string" && typeof after === "string" ? [{ old: before, new: after }] : [];
  };
  return Array.isArray(args.edits) ? args.edits.flatMap(pair) : pair(args);
}

function between(edit: Edit): DiffLine[] {
  const before = edit.old === "" ? [] : edit.old.split("\n");
  const after = edit.new === "" ? [] : edit.new.split("\n");
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let foot = 0;
  while (foot < before.length - head && foot < after.length - head && before.at(-1 - foot) === after.at(-1 - foot)) foot += 1;
  const line = (kind: DiffLine["kind"]) => (text: string): DiffLine => ({ kind, text, old: null, new: null });
  return [
    ...before.slice(0, head).map(line("same")),
    ...before.slice(head, before.length - foot).map(line("removed")),
    ...after.slice(head, after.length - foot).map(line("added")),
    ...before.slice(before.length - foot).map(line("same")),
  ];
}
