// What a program prints, as it prints it. Stays at the end unless the person scrolled up.
import { memo, useEffect, useRef } from "react";

import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import { runsOf } from "./ansi";
import styles from "./steps.module.css";

/** More than this is not drawn; the whole can be read elsewhere. */
const MOST_SHOWN = 30_000;

interface Props {
  text: string;
  /** Its beginning is not in it any more. */
  cut?: boolean;
  live?: boolean;
}

export const Terminal = memo(function Terminal({ text, cut = false, live = false }: Props) {
  const words = useText().conversation.step;
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  const shown = text.length > MOST_SHOWN ? text.slice(-MOST_SHOWN) : text;
  useEffect(() => {
    if (live && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [shown, live]);
  return (
    <pre
      ref={box}
      className={styles.terminal}
      tabIndex={0}
      role={live ? "log" : "group"}
      aria-label={words.output}
      onScroll={({ currentTarget: at }) => {
        atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 24;
      }}
    >
      {(cut || shown.length < text.length) && <span className={styles.cut}>{words.cutBefore}{"\n"}</span>}
      {runsOf(shown).map((run, index) => (
        <span key={index} data-colour={run.colour ?? undefined} data-bold={run.bold || undefined}>
          {visible(run.text)}
        </span>
      ))}
    </pre>
  );
});
