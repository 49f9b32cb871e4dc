// Calls when the end of a list comes into sight.
import { type RefCallback, useCallback, useEffect, useRef } from "react";

export function useEndReached(onReached: () => void): RefCallback<Element> {
  const latest = useRef(onReached);
  useEffect(() => {
    latest.current = onReached;
  });
  return useCallback((element: Element | null) => {
    if (element === null || !("IntersectionObserver" in window)) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) latest.current();
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
