// The whole of an output that was cut, read part by part by its handle.
import { api } from "../api/client";
import type { ExecuteResponse, Json } from "../api/types";

/** The arguments of `read_file` for a part. */
export type Where = Readonly<Record<string, Json>>;

export interface Part {
  text: string;
  /** Where the next part is; `null` after the last. */
  next: Where | null;
  /** How much has been read so far, in percent, where the reader tells. */
  percent: number | null;
}

/** Bytes that are read at a time: pieces of bytes, unlike lines, come to the whole. */
const LIMIT = 20_000;

export const beginOf = (handle: string): Where => ({ path: handle, offset: 0, limit: LIMIT });

export async function readPart(handle: string, where: Where, sessionId: string | null): Promise<Part> {
  const response = await api.post<ExecuteResponse>("tools/execute", {
    tool_name: "read_file",
    parameters: where,
    ...(sessionId === null ? {} : { session_id: sessionId }),
  });
  if (!response.success) throw new Error(response.outcome?.error?.message ?? response.message);
  return partOf(handle, where, response);
}

export function partOf(handle: string, where: Where, response: ExecuteResponse): Part {
  const data = response.outcome?.data ?? response.result;
  if (data === null || typeof data !== "object" || Array.isArray(data) || typeof data.content !== "string") {
    return { text: response.outcome?.text ?? response.message, next: null, percent: null };
  }
  const { content, next_start_line: line, next_offset: offset, size } = data;
  const next: Where | null =
    typeof offset === "number"
      ? { path: handle, offset, limit: LIMIT }
      : typeof line === "number"
        ? { path: handle, start_line: line }
        : null;
  // The same place again would never end.
  const onward = next !== null && JSON.stringify(next) !== JSON.stringify(where) ? next : null;
  const known = typeof offset === "number" && typeof size === "number" && size > 0;
  return { text: content, next: onward, percent: known ? Math.min(100, Math.round((offset / size) * 100)) : null };
}
