// What several tabs of one browser share: locks and a channel. jsdom has neither.

interface Waiting {
  hold: () => Promise<void>;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** One exclusive lock per name, with stealing. */
export class FakeLocks {
  private readonly holders = new Map<string, Waiting>();
  private readonly queues = new Map<string, Waiting[]>();

  request(name: string, how: LockOptions, hold: () => Promise<void>): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { hold, resolve, reject };
      if (how.steal) {
        const before = this.holders.get(name);
        this.holders.delete(name);
        before?.reject(new DOMException("stolen", "AbortError"));
        this.grant(name, waiting);
      } else if (this.holders.has(name)) {
        this.queues.set(name, [...(this.queues.get(name) ?? []), waiting]);
        how.signal?.addEventListener("abort", () => {
          this.queues.set(name, (this.queues.get(name) ?? []).filter((each) => each !== waiting));
          reject(new DOMException("aborted", "AbortError"));
        });
      } else {
        this.grant(name, waiting);
      }
    });
  }

  waitingFor(name: string): number {
    return this.queues.get(name)?.length ?? 0;
  }

  private grant(name: string, waiting: Waiting): void {
    this.holders.set(name, waiting);
    void waiting.hold().then(() => {
      if (this.holders.get(name) !== waiting) return;
      this.holders.delete(name);
      waiting.resolve();
      const [next, ...rest] = this.queues.get(name) ?? [];
      this.queues.set(name, rest);
      if (next) this.grant(name, next);
    });
  }
}

/** Hands every message to all others of the same name, at once. */
export class FakeBroadcastChannel {
  static all: FakeBroadcastChannel[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    FakeBroadcastChannel.all.push(this);
  }

  postMessage(data: unknown): void {
    for (const other of FakeBroadcastChannel.all) {
      if (other !== this && other.name === this.name) other.onmessage?.({ data });
    }
  }

  close(): void {
    FakeBroadcastChannel.all = FakeBroadcastChannel.all.filter((each) => each !== this);
  }
}
