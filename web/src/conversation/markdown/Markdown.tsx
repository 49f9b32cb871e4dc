// Markdown, also while it is being written: finished blocks are drawn once, only the tail is drawn again.
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { OpenCode } from "./CodeBlock";
import styles from "./markdown.module.css";
import { type Links, Splitter } from "./splitter";
import { renderBlock } from "./tokens";

/** Tails up to this length are read anew with every frame; longer ones now and then. */
const SHORT_TAIL = 4000;
const NO_LINKS: Links = {};

interface Props {
  text: string;
  /** It still grows. */
  open?: boolean;
}

export const Markdown = memo(function Markdown({ text, open = false }: Props) {
  const [splitter] = useState(() => new Splitter());
  const split = splitter.feed(text);
  return (
    <div className={styles.markdown}>
      {split.done.map((block, index) => (
        <DoneBlock key={index} text={block.text} links={block.refers ? split.links : NO_LINKS} />
      ))}
      {open ? (
        split.openCode === null ? (
          <Tail text={split.tail} links={split.links} />
        ) : (
          <OpenCode language={split.openCode.language} text={split.openCode.text} />
        )
      ) : (
        split.tail !== "" && <DoneBlock key="tail" text={split.tail} links={split.links} />
      )}
    </div>
  );
});

const DoneBlock = memo(function DoneBlock({ text, links }: { text: string; links: Links }): ReactNode {
  return renderBlock(text, links);
});

function Tail({ text, links }: { text: string; links: Links }): ReactNode {
  const wait = text.length <= SHORT_TAIL ? 0 : Math.min(400, text.length / 100);
  const shown = useNowAndThen(text, wait);
  return useMemo(() => (shown === "" ? null : renderBlock(shown, links)), [shown, links]);
}

/** The text, or a beginning of it that is at most so many milliseconds old. */
function useNowAndThen(text: string, wait: number): string {
  const [shown, setShown] = useState("");
  const last = useRef(0);
  useEffect(() => {
    if (wait === 0) return;
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        setShown(text);
      },
      Math.max(0, last.current + wait - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [text, wait]);
  return wait > 0 && shown.length > SHORT_TAIL && text.startsWith(shown) ? shown : text;
}
