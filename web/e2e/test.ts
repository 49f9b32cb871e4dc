// `test` as every file here uses it: a server of its own for each test, and no test passes that left an error in the
// browser's console.
import { type BrowserContext, expect, type Page, test as base } from "@playwright/test";

import { Server, type ServerOptions } from "./server";

interface Fixtures {
  /** Starts the program. It ends with the test. */
  serve: (options?: ServerOptions) => Promise<Server>;
  /** Starts the program and opens its page. */
  open: (options?: ServerOptions) => Promise<Server>;
  watch: Watch;
}

export class Watch {
  private readonly allowed: RegExp[] = [];
  private readonly found: string[] = [];
  private ended = false;

  /** For tests in which something is meant to go wrong. */
  allow(...patterns: RegExp[]): void {
    this.allowed.push(...patterns);
  }

  over(context: BrowserContext): void {
    context.on("console", (message) => {
      if (message.type() === "error") this.note(`${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (error) => this.note(String(error.error())));
  }

  private note(text: string): void {
    if (!this.ended) this.found.push(text);
  }

  /** What comes when the server is being ended is no error of the page. */
  end(): void {
    this.ended = true;
  }

  get unexpected(): string[] {
    return this.found.filter((text) => !this.allowed.some((pattern) => pattern.test(text)));
  }
}

export const test = base.extend<Fixtures>({
  watch: [
    async ({ context }, provide) => {
      const watch = new Watch();
      watch.over(context);
      await provide(watch);
      expect(watch.unexpected, "errors in the browser's console").toEqual([]);
    },
    { auto: true },
  ],
  serve: async ({ watch }, provide) => {
    const servers: Server[] = [];
    await provide(async (options) => {
      const server = await Server.start(options);
      servers.push(server);
      return server;
    });
    watch.end();
    for (const server of servers) await server.stop();
  },
  open: async ({ serve, page }, provide) => {
    await provide(async (options) => {
      const server = await serve(options);
      await enter(page, server);
      return server;
    });
  },
});

/** Lets the browser in and waits until the page stands. */
export async function enter(page: Page, server: Server): Promise<void> {
  await page.goto(server.openUrl);
  await expect(page.getByRole("main")).toBeVisible();
}

/** Goes to an address of the page, as a bookmark would. */
export async function visit(page: Page, server: Server, path: string): Promise<void> {
  await page.goto(new URL(path, server.url).href);
  await expect(page.getByRole("main")).toBeVisible();
}

/** The whole name, but for the name of an icon before it. */
export function named(text: string): RegExp {
  return new RegExp(`^([a-z-]+ )?${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

export { expect };
