// A file of the server, into the folder of downloads.
import { api } from "../api/client";
import type { Download } from "../api/types";

export type Source = { upload_id: string } | { output: string } | { path: string };

export async function download(source: Source, sessionId: string | null): Promise<void> {
  const made = await api.post<Download>("downloads", {
    ...source,
    ...(sessionId === null ? {} : { session_id: sessionId }),
    once: true,
  });
  follow(made.url, made.name);
}

export function follow(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
