// A text of which every part is seen: it wraps, what nobody sees is named, and long gaps are told.
import { Fragment, memo, useMemo } from "react";

import { useText } from "../../i18n";
import { withGaps } from "../../text/gaps";
import { visible } from "../../text/visible";
import { CopyButton } from "../CopyButton";
import styles from "./steps.module.css";

export const Exact = memo(function Exact({ text }: { text: string }) {
  const words = useText().conversation.step;
  const pieces = useMemo(() => withGaps(text), [text]);
  return pieces.map((piece, index) =>
    piece.kind === "text" ? (
      <Fragment key={index}>{visible(piece.text)}</Fragment>
    ) : (
      <mark key={index} className={styles.gap}>
        {piece.kind === "spaces" ? words.spaces(piece.count) : words.emptyLines(piece.count)}
      </mark>
    ),
  );
});

/** A block of it, to be copied as it really is. */
export function ExactText({ name, text }: { name: string; text: string }) {
  const words = useText().conversation;
  return (
    <figure className={styles.exact}>
      <figcaption>
        <span>{name}</span>
        <CopyButton text={text} label={words.copyCode} />
      </figcaption>
      <pre tabIndex={0} aria-label={name}>
        <Exact text={text} />
      </pre>
    </figure>
  );
}
