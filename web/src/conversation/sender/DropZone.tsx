// Files that are dragged over the conversation, wherever they are dropped in it.
import { type DragEvent, type ReactNode, useState } from "react";

import { useText } from "../../i18n";
import styles from "./sender.module.css";

export function DropZone({ onFiles, className, children }: { onFiles: (files: readonly File[]) => void; className?: string | undefined; children: ReactNode }) {
  const words = useText().conversation.sender;
  const [over, setOver] = useState(false);
  const carries = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    <div
      className={className}
      onDragOver={(event) => {
        if (!carries(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        if (!carries(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && <div className={styles.drop}>{words.dropHere}</div>}
    </div>
  );
}
