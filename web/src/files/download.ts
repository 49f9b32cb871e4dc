// A file of the sidebar or of a result, as something to download.
import { download as downloadOf, type Source } from "../conversation/download";
import type { PreviewTarget } from "./preview";

export function download({ path, sessionId, uploadId }: PreviewTarget): Promise<void> {
  return downloadOf(sourceOf(path, uploadId), sessionId ?? null);
}

function sourceOf(path: string, uploadId: string | undefined): Source {
  if (uploadId !== undefined) return { upload_id: uploadId };
  return path.startsWith("out:") ? { output: path } : { path };
}
