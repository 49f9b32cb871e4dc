// Shows the file that was asked for; the code for it is loaded with the first one.
import { lazy, Suspense } from "react";

import { usePreview } from "./preview";

const PreviewPanel = lazy(async () => ({ default: (await import("./PreviewPanel")).PreviewPanel }));

export function PreviewHost() {
  const target = usePreview();
  if (target === null) return null;
  return (
    <Suspense>
      <PreviewPanel target={target} />
    </Suspense>
  );
}
