// Keys and the usual model: kept, removed, tried.
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import type { KeySource, ModelTest, Settings } from "../../api/types";

export interface NewKey {
  provider: string;
  key: string;
  where: Exclude<KeySource, "environment">;
}

/** A model may take a while to load before its first word. */
const TEST_TIMEOUT = 120_000;

export function testModel(model: string): Promise<ModelTest> {
  return api.post<ModelTest>("models/test", { model }, { timeout: TEST_TIMEOUT });
}

export function useModelActions() {
  const client = useQueryClient();
  const onSuccess = () =>
    Promise.all([keys.models, keys.about, keys.settings].map((queryKey) => client.invalidateQueries({ queryKey })));
  return {
    saveKey: useMutation({
      mutationFn: (key: NewKey) => api.post<{ kept: KeySource }>("models/keys", key),
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
    test: useMutation({ mutationFn: testModel }),
  };
}
