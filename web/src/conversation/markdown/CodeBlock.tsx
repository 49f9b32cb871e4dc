// A code block: its language, a button that copies it, and colours that come when there is time for them.
import { memo, type ReactNode, useEffect, useState } from "react";

import { CopyButton } from "../CopyButton";
import { useText } from "../../i18n";
import type { Coloured } from "./coloured";
import styles from "./markdown.module.css";

/** What is longer stays without colours: it would stop the page. */
const MOST_COLOURED = 40_000;
const LINES_IN_PIECE = 60;

export const CodeBlock = memo(function CodeBlock({ language, text }: { language: string; text: string }) {
  const coloured = useColours(language, text);
  return (
    <Frame language={language} text={text}>
      {coloured === null ? (
        <Lines text={text} />
      ) : (
        coloured.map((piece, index) =>
          piece.className === null ? piece.text : (
            <span key={index} className={piece.className}>
              {piece.text}
            </span>
          ),
        )
      )}
    </Frame>
  );
});

/** A block that is still being written: no colours, and only its last lines are drawn anew. */
export function OpenCode({ language, text }: { language: string; text: string }) {
  return (
    <Frame language={language} text={text}>
      <Lines text={text} />
    </Frame>
  );
}

function Frame({ language, text, children }: { language: string; text: string; children: ReactNode }) {
  const words = useText().conversation;
  return (
    <figure className={styles.code}>
      <figcaption>
        <span>{language || words.code}</span>
        <CopyButton text={text} label={words.copyCode} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
    </figure>
  );
}

function Lines({ text }: { text: string }) {
  return piecesOf(text).map((piece, index) => <Piece key={index} text={piece} />);
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return <span className={styles.piece}>{text}</span>;
});

/** Cut at every so many lines, so that a text that grows changes its last piece only. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines % LINES_IN_PIECE !== 0) continue;
    pieces.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length || pieces.length === 0) pieces.push(text.slice(from));
  return pieces;
}

function useColours(language: string, text: string): Coloured[] | null {
  const [found, setFound] = useState<{ text: string; pieces: Coloured[] } | null>(null);
  useEffect(() => {
    if (language === "" || text.length > MOST_COLOURED) return;
    let gone = false;
    const cancel = whenIdle(() => {
      void import("./highlighter").then(({ colour }) => {
        if (gone) return;
        const pieces = colour(text, language);
        if (pieces !== null) setFound({ text, pieces });
      });
    });
    return () => {
      gone = true;
      cancel();
    };
  }, [language, text]);
  return found !== null && found.text === text ? found.pieces : null;
}

function whenIdle(act: () => void): () => void {
  if (typeof window.requestIdleCallback === "function") {
    const id = window.requestIdleCallback(act, { timeout: 2000 });
    return () => window.cancelIdleCallback(id);
  }
  const id = setTimeout(act, 50);
  return () => clearTimeout(id);
}
