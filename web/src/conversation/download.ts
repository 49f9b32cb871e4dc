// A file of the server, into the folder of downloads.
import { api } from "../api/client";
import type { Download } from "../api/types";

export type Source = { upload_id: string } | { output: string } | { path: string };

function linkTo(source: Source, sessionId: string | null): Promise<Download> {
  return api.post<Download>("downloads", {
    ...source,
    ...(sessionId === null ? {} : { session_id: sessionId }),
    once: true,
  });
}

export async function download(source: Source, sessionId: string | null): Promise<void> {
  const made = await linkTo(source, sessionId);
  follow(made.url, made.name);
}

/** The whole of a file as an address that holds it. */
export async function contentOf(source: Source, sessionId: string | null): Promise<string> {
  const response = await fetch((await linkTo(source, sessionId)).url);
  if (!response.ok) throw new Error(`the file was not handed out: ${response.status}`);
  const content = await response.blob();
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as string);
    reader.onerror = () => failed(reader.error ?? new Error("the file could not be read"));
    reader.readAsDataURL(content);
  });
}

export function follow(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
