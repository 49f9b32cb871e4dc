// Something worth knowing that is neither said nor done.
import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import { sayCount } from "../numbers";
import type { Notice } from "../view";
import { Fold } from "./Fold";
import styles from "./steps.module.css";

export function NoticeLine({ notice }: { notice: Notice }) {
  const words = useText().conversation.notice;
  switch (notice.about) {
    case "notice":
      return <p className={styles.notice}>{visible(notice.text)}</p>;
    case "nudge":
      return (
        <Fold head={<span className={styles.thought}>{words.nudge}</span>}>
          <p className={styles.notice}>{visible(notice.text)}</p>
        </Fold>
      );
    case "compacted":
      return <p className={styles.notice}>{words.compacted(notice.messages, sayCount(notice.before), sayCount(notice.after))}</p>;
    case "process":
      return (
        <p className={styles.notice}>
          {words.process(notice.status, notice.exitCode)} <code>{visible(notice.command)}</code>
        </p>
      );
  }
}
