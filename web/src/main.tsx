// The start: takes the token out of the address, loads the language, shows the page.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { ApiError } from "./api/client";
import { App } from "./App";
import { firstLanguage, LanguageProvider, loadLanguage } from "./i18n";
import { ThemeProvider } from "./theme/ThemeProvider";
import { withoutToken } from "./token";

const clean = withoutToken(window.location.href);
if (clean !== null) window.history.replaceState(null, "", clean);

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (failures, error) => !(error instanceof ApiError && error.status >= 400 && error.status < 500) && failures < 2,
      refetchOnWindowFocus: false,
    },
  },
});

async function start(root: HTMLElement): Promise<void> {
  const first = await loadLanguage(firstLanguage());
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <LanguageProvider first={first}>
          <ThemeProvider>
            <App />
          </ThemeProvider>
        </LanguageProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root !== null) void start(root);
