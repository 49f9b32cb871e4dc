// A unified diff, line by line in its colours. The signs stay, so that colour is not all there is.
import { visible } from "../../text/visible";
import styles from "./call.module.css";

/** Beyond this many lines a person scrolls a file, not a preview. */
const MOST_LINES = 2000;

export type DiffLine = { text: string; kind: "added" | "removed" | "hunk" | "same" };

export function diffLines(diff: string): DiffLine[] {
  let inHunk = false;
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((text) => {
      if (text.startsWith("@@")) {
        inHunk = true;
        return { text, kind: "hunk" };
      }
      // The names of the files stand before the first hunk, also with + and -.
      if (!inHunk || text.startsWith("diff ")) {
        inHunk = inHunk && !text.startsWith("diff ");
        return { text, kind: "hunk" };
      }
      if (text.startsWith("+")) return { text, kind: "added" };
      if (text.startsWith("-")) return { text, kind: "removed" };
      return { text, kind: "same" };
    });
}

export function DiffText({ diff }: { diff: string }) {
  const lines = diffLines(diff);
  return (
    <pre className={`${styles.pre ?? ""} ${styles.diff ?? ""}`} tabIndex={0}>
      {lines.slice(0, MOST_LINES).map((line, index) => (
        <span key={index} className={line.kind === "same" ? undefined : styles[line.kind]}>
          {line.text === "" ? " " : visible(line.text)}
        </span>
      ))}
      {lines.length > MOST_LINES && <span className={styles.hunk}>…</span>}
    </pre>
  );
}
