// The title of a session, being changed in its place: Enter and leaving it keep it, Escape does not.
import { Input } from "antd";
import { type KeyboardEvent, useState } from "react";

import type { SessionItem } from "../api/types";
import { useText } from "../i18n";
import { isComposing } from "../text/composing";
import { titleToEdit } from "./title";
import { useSessionActions } from "./useSessionActions";

interface Props {
  session: SessionItem;
  className?: string | undefined;
  onDone: () => void;
}

export function TitleEditor({ session, className, onDone }: Props) {
  const text = useText();
  const title = titleToEdit(session, text);
  const { rename } = useSessionActions();
  const [draft, setDraft] = useState(title);
  const save = () => {
    const wanted = draft.trim();
    if (wanted !== "" && wanted !== title) void rename(session, wanted);
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the writing of a Chinese word is not the end of the title.
    if (isComposing(event)) return;
    if (event.key === "Enter") save();
    if (event.key === "Escape") onDone();
  };
  return (
    <Input
      autoFocus
      size="small"
      className={className}
      aria-label={text.history.title}
      value={draft}
      maxLength={200}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={onKeyDown}
    />
  );
}
