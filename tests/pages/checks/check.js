// check(name, test): test gives true, or what it found instead. checked() runs them all once and gives {name: true | finding}.
const checks = new Map();
const check = (name, test) => checks.set(name, test);

// What is wrong with `values`: those that `right` does not have the same.
function differences(right, values) {
  const wrong = Object.keys(right).filter((key) => JSON.stringify(right[key]) !== JSON.stringify(values[key]));
  return wrong.length === 0 || wrong.map((key) => `${key}: ${JSON.stringify(values[key])} is not ${JSON.stringify(right[key])}`).join("; ");
}

const allOf = (tests) => {
  const wrong = Object.keys(tests).filter((key) => tests[key] !== true);
  return wrong.length === 0 || wrong.map((key) => `${key}: ${JSON.stringify(tests[key])}`).join("; ");
};

const within = (promise, what) =>
  Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error(`${what} did not answer`)), 10000))]);

const nativeText = /^function (get |set )?[\w$ .[\]]*\(\) \{ \[native code\] \}$/;
const toText = Function.prototype.toString;
const isNative = (fn) => typeof fn === "function" && nativeText.test(toText.call(fn));

function frameOf(setUp = () => {}) {
  const frame = document.createElement("iframe");
  setUp(frame);
  document.body.append(frame);
  return frame;
}

const loaded = (frame) => within(new Promise((yes) => frame.addEventListener("load", () => yes(frame), { once: true })), "a frame");

async function one(test) {
  try {
    const found = await within(Promise.resolve(test()), "it");
    return found === true ? true : found ?? "nothing";
  } catch (problem) {
    return `threw ${problem}`;
  }
}

let outcome;
const checked = () => (outcome ??= (async () => {
  const results = {};
  for (const [name, test] of checks) results[name] = await one(test);
  if (location.search === "?report") await fetch("report", { method: "POST", body: JSON.stringify(results) });
  return results;
})());
