// The functions that Rust calls. None of them throws: what goes wrong is an object with `error` and `message`.

/** configure({prefix}) → {prefix}: what refs of this document begin with. Once, before anything else. */
function configure({ prefix = "" } = {}) {
  if (lastNumber === 0) settings.prefix = String(prefix);
  return { prefix: settings.prefix };
}

const internal = (name, problem) => ({ error: "internal", message: `${name}: ${cut(String(problem?.message ?? problem), 300)}` });

function guarded(name, run) {
  return (args, given) => {
    try {
      forget();
      const outcome = run(args ?? {}, given);
      return outcome instanceof Promise ? outcome.catch((problem) => internal(name, problem)) : outcome;
    } catch (problem) {
      return internal(name, problem);
    }
  };
}

const api = Object.freeze(Object.fromEntries(Object.entries({
  configure, snapshot, action_point, describe, hits, prepare_typing, holds_focus, set_value, select_option, focus, dom,
  scroll, wait_state,
}).map(([name, run]) => [name, guarded(name, run)]).concat([["element", elementFor], ["reached_element", reachedElement], ["focused_element", focusedElement], ["suspects", suspects], ["focus_suspects", focusSuspects]])));
