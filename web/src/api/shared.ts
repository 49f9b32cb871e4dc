// One connection for all tabs: a browser allows six to a server, and an endless stream takes one for good.
// The tab that was looked at last holds the stream and tells the others what it hears; when it goes, another takes over.
import type { Stream } from "./events";

export interface SharedOptions<M> {
  name: string;
  /** Opens the real stream; what it hears is handed to `tell`. */
  open: (tell: (message: M) => void) => Stream;
  onMessage: (message: M) => void;
  /** What a tab that has just come needs to know. */
  catchUp: () => M[];
}

type Wire<M> = { hello: true } | { message: M };

export function openShared<M>(options: SharedOptions<M>): Stream {
  const { name, open, onMessage } = options;
  if (!("locks" in navigator) || !("BroadcastChannel" in window)) return open(onMessage);

  const channel = new BroadcastChannel(name);
  const post = (wire: Wire<M>) => channel.postMessage(wire);
  const ended = new AbortController();
  let stream: Stream | null = null;

  channel.onmessage = ({ data }: MessageEvent<Wire<M>>) => {
    if ("message" in data) {
      if (stream === null) onMessage(data.message);
    } else if (stream !== null) {
      options.catchUp().forEach((message) => post({ message }));
    }
  };

  /** Resolves when the tab is told to give the stream back. */
  const hold = () =>
    new Promise<void>((resolve) => {
      stream = open((message) => {
        onMessage(message);
        post({ message });
      });
      ended.signal.addEventListener("abort", () => resolve(), { once: true });
    });

  const drop = () => {
    stream?.close();
    stream = null;
  };

  // A tab waits in the queue once: who takes the stream at once no longer waits for it.
  let waiting = new AbortController();
  const want = (how: "wait" | "take") => {
    if (ended.signal.aborted) return;
    waiting.abort();
    const mine = new AbortController();
    waiting = mine;
    navigator.locks
      .request(name, how === "take" ? { steal: true } : { signal: mine.signal }, hold)
      .then(drop, () => {
        if (mine !== waiting) return;
        // Another tab took it.
        drop();
        want("wait");
      });
  };

  const onVisible = () => {
    // Timers of a hidden tab are slow: whoever is looked at should be the one that reconnects.
    if (!document.hidden && stream === null) want("take");
  };

  document.addEventListener("visibilitychange", onVisible);
  want(document.hidden ? "wait" : "take");
  post({ hello: true });
  return {
    close: () => {
      document.removeEventListener("visibilitychange", onVisible);
      ended.abort();
      waiting.abort();
      drop();
      channel.close();
    },
  };
}
