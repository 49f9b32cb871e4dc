// Keys, addresses and the default model: tried, saved, removed.
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import type { AvailableModels, KeySource, ModelTest, Settings } from "../../api/types";

/** What was typed about a provider and is not saved yet; what is left out stays as it is. */
export interface Typed {
  base_url?: string;
  key?: string;
  /** Whether the stored key may go to another address than the one it was entered for. */
  use_stored_key?: boolean;
}

export interface NewProvider extends Typed {
  provider: string;
  /** As the provider names it; it becomes the default model. */
  model?: string;
  where?: Exclude<KeySource, "environment">;
}

/** A model may take a while to load before its first word. */
const TEST_TIMEOUT = 120_000;

export function useModelActions() {
  const client = useQueryClient();
  const onSuccess = () =>
    Promise.all([keys.models, keys.about, keys.settings].map((queryKey) => client.invalidateQueries({ queryKey })));
  return {
    list: useMutation({
      mutationFn: (asked: Typed & { provider: string }) => api.post<AvailableModels>("models/available", asked),
    }),
    save: useMutation({
      mutationFn: (provider: NewProvider) => api.post<{ warnings: string[] }>("models/setup", provider),
      onSuccess,
    }),
    removeKey: useMutation({
      mutationFn: (provider: string) => api.delete(`models/keys/${encodeURIComponent(provider)}`),
      onSuccess,
    }),
    setUsual: useMutation({
      mutationFn: (model: string | null) => api.put<Settings>("settings", { model }),
      onSuccess,
    }),
    test: useMutation({
      mutationFn: (asked: Typed & { model: string }) =>
        api.post<ModelTest>("models/test", asked, { timeout: TEST_TIMEOUT }),
    }),
  };
}
