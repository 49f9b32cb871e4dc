// A change, shown as a change: what goes is red, what comes is green, with its marks for those who see no colours.
import { Button } from "antd";
import { useMemo, useState } from "react";

import { useText } from "../../i18n";
import { countChanges, type DiffLine } from "./diff";
import { Exact } from "./ExactText";
import styles from "./steps.module.css";

const FIRST_SHOWN = 200;
const MARK: Record<DiffLine["kind"], string> = { file: "", hunk: "", added: "+", removed: "−", same: " " };

export function Diff({ lines }: { lines: readonly DiffLine[] }) {
  const words = useText().conversation.step;
  const [all, setAll] = useState(false);
  const { added, removed } = useMemo(() => countChanges(lines), [lines]);
  const shown = all ? lines : lines.slice(0, FIRST_SHOWN);
  const numbered = lines.some((line) => line.old !== null || line.new !== null);
  return (
    <div className={styles.diff}>
      <div className={styles.diffHead}>{words.changes(added, removed)}</div>
      <div className={styles.diffScroll} tabIndex={0} role="group" aria-label={words.diff}>
        <table>
          <tbody>
            {shown.map((line, index) => (
              <tr key={index} data-kind={line.kind}>
                {numbered && <td className={styles.lineNumber}>{line.new ?? line.old ?? ""}</td>}
                <td className={styles.mark}>{MARK[line.kind]}</td>
                <td className={styles.lineText}><Exact text={line.text} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < lines.length && (
        <Button type="link" size="small" onClick={() => setAll(true)}>
          {words.showAllLines(lines.length)}
        </Button>
      )}
    </div>
  );
}
