// A picture that opens large. The viewer is loaded with the first picture.
import { lazy, Suspense } from "react";

import styles from "./markdown.module.css";

const Zoom = lazy(async () => ({ default: (await import("./Zoom")).Zoom }));

export function Picture({ source, alt }: { source: string; alt: string }) {
  return (
    <span className={styles.picture}>
      <Suspense fallback={<img src={source} alt={alt} loading="lazy" />}>
        <Zoom source={source} alt={alt} />
      </Suspense>
    </span>
  );
}
