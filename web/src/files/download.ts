// Getting a file out of the server: a link that works once is asked for, then followed.
import { api } from "../api/client";
import type { Download } from "../api/types";
import type { PreviewTarget } from "./preview";

export async function download(target: PreviewTarget): Promise<void> {
  const { path, sessionId, uploadId } = target;
  const what =
    uploadId !== undefined ? { upload_id: uploadId } : path.startsWith("out:") ? { output: path } : { path };
  const { url } = await api.post<Download>("downloads", {
    ...what,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    once: true,
  });
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}
