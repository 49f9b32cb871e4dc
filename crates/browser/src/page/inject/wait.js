// Waiting inside the page, so that nothing is missed between two questions from outside.

const POLL_MS = 100;
const STATES = new Set(["attached", "detached", "visible", "hidden"]);

/** Whether the state holds now: {reached, element, count}. */
function holds({ ref, selector }, state) {
  if (ref) {
    const { element } = byRef(ref);
    return { element, count: element ? 1 : 0, reached: reachedBy(element ? [element] : [], state) };
  }
  const { found, ...failed } = select(selector);
  if (failed.error) return failed;
  const seen = state === "visible" ? found.slice(0, 500).find(isVisible) : found[0];
  return { element: seen, count: found.length, reached: reachedBy(found, state) };
}

function reachedBy(found, state) {
  if (state === "attached") return found.length > 0;
  if (state === "detached") return found.length === 0;
  const visible = found.slice(0, 500).some(isVisible);
  return state === "visible" ? visible : !visible;
}

/**
 * wait_state({selector | ref, state = "visible", timeout_ms = 30000}) → Promise of {reached: true, state, ref, line, count,
 *   waited_ms} (`ref` and `line` null when nothing is there), or {error: "timeout", state, count, visible, line, hints, message}.
 * `hidden` is reached too when nothing is there, `detached` when a ref is stale. Errors at once: bad_selector, bad_ref,
 * no_target, bad_state.
 */
function wait_state({ ref, selector, state = "visible", timeout_ms } = {}) {
  if (!STATES.has(state)) return Promise.resolve({ error: "bad_state", message: `state is one of ${[...STATES].join(", ")}` });
  if (!ref && !selector) return Promise.resolve({ error: "no_target", message: "name what to wait for by ref or selector" });
  if (ref) {
    const found = byRef(ref);
    const over = state === "detached" || state === "hidden";
    if (found.error && !(found.error === "stale_ref" && over)) return Promise.resolve(found);
  }
  const started = performance.now();
  const limit = whole(timeout_ms, 30_000, 0, 600_000);
  return new Promise((done) => {
    let timer = 0;
    let queued = false;
    let finished = false;
    const finish = (outcome) => {
      observer.disconnect();
      clearInterval(timer);
      finished = true;
      done(outcome);
    };
    const look = () => {
      queued = false;
      if (finished) return;
      try {
        forget();
        const now = holds({ ref, selector }, state);
        if (now.error) finish(now);
        else if (now.reached) finish({ reached: true, state, ref: now.element ? refOf(now.element) : null, line: now.element ? lineFor(now.element) : null, count: now.count, waited_ms: Math.round(performance.now() - started) });
        else if (performance.now() - started >= limit) finish(timedOut({ ref, selector }, state, now, limit));
      } catch (problem) {
        finish(internal("wait_state", problem));
      }
    };
    // A page that changes all the time is looked at once per task, not once per change.
    const observer = new MutationObserver(() => {
      if (queued) return;
      queued = true;
      setTimeout(look, 0);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: false });
    // Styles and shadow roots change without a mutation that is seen here; timers also run in the background.
    timer = setInterval(look, Math.min(POLL_MS, Math.max(10, limit)));
    look();
  });
}

function timedOut({ ref, selector }, state, now, limit) {
  const visible = now.element ? isVisible(now.element) : false;
  const name = ref ? `ref ${ref}` : `«${cut(String(selector), 200)}»`;
  const what = now.count === 0 ? "nothing matches" : `${plural(now.count, "element")} there, ${visible ? "visible" : "not visible"}`;
  return {
    error: "timeout", state, count: now.count, visible,
    line: now.element ? lineFor(now.element) : null,
    hints: now.count === 0 && selector ? nearMatches(selector) : [],
    message: `${name} was not ${state} within ${limit} ms: ${what}`,
  };
}
