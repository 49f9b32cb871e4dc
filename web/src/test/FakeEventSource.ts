// An EventSource whose server is the test.
export class FakeEventSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static all: FakeEventSource[] = [];

  static get latest(): FakeEventSource {
    const latest = FakeEventSource.all.at(-1);
    if (latest === undefined) throw new Error("nothing was opened");
    return latest;
  }

  readyState = FakeEventSource.CONNECTING;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    FakeEventSource.all.push(this);
  }

  open(): void {
    this.readyState = FakeEventSource.OPEN;
    this.onopen?.();
  }

  fail(): void {
    this.onerror?.();
  }

  send(type: string, data: unknown, lastEventId = ""): void {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId }));
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
}
