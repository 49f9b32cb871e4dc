// A call as a person would type it into a shell.
import { OURS } from "../../api/execute";
import type { Json } from "../../api/types";

/** Quoted for a POSIX shell: nothing in it means anything. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function asCommand(tool: string, parameters: Json): string {
  return `deskhand call ${tool} ${shellQuoted(JSON.stringify(parameters))}`;
}

export interface HttpRequest {
  method: string;
  url: string;
  body?: Json;
}

/** The token is not in the page (its cookie is hidden from scripts), so it comes from the shell's environment. */
export function asCurl({ method, url, body }: HttpRequest): string {
  const parts = ["curl -sS"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(shellQuoted(url), `-H "Authorization: Bearer $DESKHAND_TOKEN"`);
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d ${shellQuoted(JSON.stringify(body))}`);
  return parts.join(" ");
}

export function toolAsCurl(tool: string, parameters: Json, origin: string): string {
  return asCurl({ method: "POST", url: `${origin}/api/v1/tools/execute`, body: { tool_name: tool, parameters, dialect: OURS } });
}
