// How long something has been going on, counted by the second.
import { useEffect, useState } from "react";

import { sayDuration } from "../numbers";

export function Since({ at }: { at: number | null }) {
  const now = useNow(1000);
  if (at === null) return null;
  return <>{sayDuration(Math.max(1000, Math.round((now - at) / 1000) * 1000)).replace(".0", "")}</>;
}

export function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
