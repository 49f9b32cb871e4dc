// A line that unfolds. What is folded is not drawn.
import { RightOutlined } from "@ant-design/icons";
import { type ReactNode, useId, useState } from "react";

import styles from "./steps.module.css";

interface Props {
  /** `null`: there is nothing to fold, yet. */
  head: ReactNode;
  children: ReactNode;
  /** Open from the start, and whenever this becomes true. */
  open?: boolean;
  className?: string | undefined;
}

export function Fold({ head, children, open = false, className }: Props) {
  const id = useId();
  // What the person chose counts until the state of the thing changes.
  const [chosen, setChosen] = useState<{ open: boolean; when: boolean } | null>(null);
  const shown = head === null || (chosen !== null && chosen.when === open ? chosen.open : open);
  return (
    <div className={className}>
      {head !== null && (
        <button
          type="button"
          className={styles.foldHead}
          aria-expanded={shown}
          aria-controls={id}
          onClick={() => setChosen({ open: !shown, when: open })}
        >
          {head}
          <RightOutlined className={styles.chevron} rotate={shown ? 90 : 0} aria-hidden />
        </button>
      )}
      <div id={id} hidden={!shown}>
        {shown && children}
      </div>
    </div>
  );
}
