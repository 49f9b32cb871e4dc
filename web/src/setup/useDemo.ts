// The demo conversation: a scripted model, real tools.
import { useMutation } from "@tanstack/react-query";

import { api } from "../api/client";
import { useLanguage } from "../i18n";
import { navigate } from "../router";

export function useDemo() {
  const { language } = useLanguage();
  return useMutation({
    mutationFn: () => api.post<{ session_id: string }>("demo", { language }),
    onSuccess: ({ session_id }) => navigate({ name: "session", id: session_id }),
  });
}
