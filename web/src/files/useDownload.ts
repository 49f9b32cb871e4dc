// A download whose failure is told.
import { App } from "antd";
import { useCallback } from "react";

import { useText } from "../i18n";
import { sayError } from "../shell/Problem";
import { download } from "./download";
import type { PreviewTarget } from "./preview";

export function useDownload(): (target: PreviewTarget) => void {
  const { message } = App.useApp();
  const text = useText();
  return useCallback(
    (target) => {
      download(target).catch((error: unknown) => {
        const said = sayError(error, text);
        void message.error([said.message, said.hint].filter(Boolean).join(" "));
      });
    },
    [message, text],
  );
}
