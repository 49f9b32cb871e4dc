// Markdown, also while it is being written: finished blocks are drawn once, only the tail is drawn again.
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { OpenCode } from "./CodeBlock";
import styles from "./markdown.module.css";
import { type Block, type Links, Splitter } from "./splitter";
import { renderBlock } from "./tokens";

/** Tails up to this length are read anew with every frame; longer ones now and then. */
const SHORT_TAIL = 4000;
const IN_CHUNK = 12;
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
      {chunksOf(split.done).map((blocks, index) => (
        <Chunk key={index} blocks={blocks} links={split.links} />
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

/** What is far from the view is not even laid out, chunk by chunk. */
const Chunk = memo(
  function Chunk({ blocks, links }: { blocks: readonly Block[]; links: Links }) {
    return (
      <div className={blocks.length < IN_CHUNK ? styles.chunk : `${styles.chunk} ${styles.full}`}>
        {blocks.map((block, index) => (
          <DoneBlock key={index} text={block.text} links={block.refers ? links : NO_LINKS} />
        ))}
      </div>
    );
  },
  // Blocks are only ever added, so the same first and as many are the same.
  (before, after) =>
    before.blocks.length === after.blocks.length && before.blocks[0] === after.blocks[0] && before.links === after.links,
);

function chunksOf(blocks: readonly Block[]): (readonly Block[])[] {
  const chunks: (readonly Block[])[] = [];
  for (let from = 0; from < blocks.length; from += IN_CHUNK) chunks.push(blocks.slice(from, from + IN_CHUNK));
  return chunks;
}

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
