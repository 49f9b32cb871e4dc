// Whether the sidebar stands beside the content; kept.
import { useCallback, useState } from "react";

const KEPT = "deskhand.sidebar";

export function useSidebarOpen(): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(() => localStorage.getItem(KEPT) !== "closed");
  const set = useCallback((next: boolean) => {
    localStorage.setItem(KEPT, next ? "open" : "closed");
    setOpen(next);
  }, []);
  return [open, set];
}
