// Says that a text which is edited as it is has characters in it that nobody sees.
import { useText } from "../../i18n";
import { hasUnseen } from "../../text/visible";
import styles from "./approval.module.css";

export function UnseenWarning({ text }: { text: string }) {
  const words = useText().conversation.approval;
  return hasUnseen(text) ? <p className={styles.wrong}>{words.unseen}</p> : null;
}
