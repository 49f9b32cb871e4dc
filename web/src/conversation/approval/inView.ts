// Whether enough of something is seen to answer a question about it.

/** So much of it must be seen; of what is taller than the view, it must fill so much of the view. */
const OF_IT = 0.9;
const OF_VIEW = 0.6;

export function isWellInView(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect();
  let top = 0;
  let bottom = window.innerHeight;
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    const { overflowY } = getComputedStyle(around);
    if (overflowY !== "auto" && overflowY !== "scroll" && overflowY !== "hidden") continue;
    const edge = around.getBoundingClientRect();
    top = Math.max(top, edge.top);
    bottom = Math.min(bottom, edge.bottom);
  }
  const seen = Math.min(box.bottom, bottom) - Math.max(box.top, top);
  return box.height > 0 && seen >= Math.min(box.height * OF_IT, (bottom - top) * OF_VIEW) && seen > 0;
}
