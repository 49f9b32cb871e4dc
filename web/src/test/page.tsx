// Renders a part of the page as it stands in the whole: texts, theme, queries; and a server that is a table.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, type RenderResult } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";

import { type Language, LanguageProvider, loadLanguage } from "../i18n";
import { ThemeProvider } from "../theme/ThemeProvider";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

type Answer = unknown;
type Handler = (asked: Asked) => Answer;

/** An answer that is an error, as the server writes it. */
export class Refusal {
  readonly status: number;
  readonly error: { code: string; message: string; hint: string | null };

  constructor(status: number, code: string, message: string, hint: string | null = null) {
    this.status = status;
    this.error = { code, message, hint };
  }
}

/** Answers `METHOD path` (below /api/v1/) by the table; what was asked is in the list that it returns. */
export function serve(table: Record<string, Handler>): Asked[] {
  const log: Asked[] = [];
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    const url = new URL(address, "http://localhost");
    const path = url.pathname.replace("/api/v1/", "");
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined;
    const asked = { method: init.method ?? "GET", path, query: url.searchParams, body };
    log.push(asked);
    const handler = table[`${asked.method} ${path}`];
    const answer = handler ? handler(asked) : new Refusal(404, "not_found", `nothing answers ${asked.method} ${path}`);
    return Promise.resolve(answer).then((given) =>
      given instanceof Refusal ? Response.json({ error: given.error }, { status: given.status }) : Response.json(given),
    );
  });
  return log;
}

export async function show(part: ReactNode, language: Language = "en"): Promise<RenderResult> {
  const first = await loadLanguage(language);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <QueryClientProvider client={client}>
      <LanguageProvider first={first}>
        <ThemeProvider>{part}</ThemeProvider>
      </LanguageProvider>
    </QueryClientProvider>,
  );
}
