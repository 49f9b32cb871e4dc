// Downloads, with what went wrong said to the person.
import { App } from "antd";
import { useCallback } from "react";

import { useText } from "../i18n";
import { sayInOneLine } from "../shell/Problem";
import { download, type Source } from "./download";
import { useSessionPlace } from "./SessionContext";

export function useDownload(): (source: Source) => void {
  const { message } = App.useApp();
  const text = useText();
  const sessionId = useSessionPlace()?.sessionId ?? null;
  return useCallback(
    (source) => {
      download(source, sessionId).catch((error: unknown) => void message.error(sayInOneLine(error, text)));
    },
    [message, sessionId, text],
  );
}
