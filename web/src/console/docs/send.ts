// Sends a request as it is and reads the answer as it comes: a stream is shown while it flows, up to a limit.
export interface Received {
  status: number;
  statusText: string;
  type: string;
  text: string;
  /** Why not all of it is there. */
  end: "whole" | "cut" | "stopped" | "binary";
  bytes: number;
}

const MOST_TEXT = 200_000;

export interface Request {
  method: string;
  url: string;
  body?: string;
}

export async function send(request: Request, signal: AbortSignal, onPart: (received: Received) => void): Promise<void> {
  const response = await fetch(request.url, {
    method: request.method,
    credentials: "same-origin",
    signal,
    ...(request.body === undefined ? {} : { body: request.body, headers: { "content-type": "application/json" } }),
  });
  const type = response.headers.get("content-type") ?? "";
  const received: Received = {
    status: response.status,
    statusText: response.statusText,
    type,
    text: "",
    end: "whole",
    bytes: 0,
  };
  const isText = type === "" || /json|text|xml|javascript|event-stream/.test(type);
  onPart(received);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      received.bytes += value.byteLength;
      if (isText && received.text.length < MOST_TEXT) received.text += decoder.decode(value, { stream: true });
      if (received.text.length >= MOST_TEXT) {
        await reader.cancel();
        onPart({ ...received, text: received.text.slice(0, MOST_TEXT), end: "cut" });
        return;
      }
      onPart({ ...received });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    onPart({ ...received, end: "stopped" });
    return;
  }
  onPart({ ...received, text: pretty(received.text, type), end: isText ? "whole" : "binary" });
}

function pretty(text: string, type: string): string {
  if (!type.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
