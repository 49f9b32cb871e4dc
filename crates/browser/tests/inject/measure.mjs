// How long snapshots take, in the page and as a whole call: `node crates/browser/tests/inject/measure.mjs`
import { start } from "./frame.mjs";

const ROUNDS = 15;
const desk = await start();
const middle = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1].toFixed(1);
for (const name of ["form.html", "table.html", "many-nodes.html", "many-nodes.html?n=100000", "deep.html"]) {
  const { page, call, session } = await desk.open(name);
  // In time of the processor, so that what else runs on the machine does not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => (await session.send("Performance.getMetrics")).metrics.find((one) => one.name === "TaskDuration").value * 1000;
  const processor = [];
  const script = [];
  const whole = [];
  let first = null;
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    // A change, so that styles and layout are not simply those of the round before.
    await page.evaluate(() => { document.body.style.paddingTop = document.body.style.paddingTop === "1px" ? "2px" : "1px"; });
    const before = await busy();
    const started = performance.now();
    const { ms, text } = await call("snapshot");
    whole.push(performance.now() - started);
    script.push(ms);
    processor.push((await busy()) - before);
    first ??= processor[0];
    bytes = Buffer.byteLength(text);
  }
  console.log(`${name}: first ${first.toFixed(1)} ms of processor, then ${middle(processor)}; ${middle(script)} ms in the page, ${middle(whole)} ms as a call, ${bytes} bytes`);
  await page.close();
}
await desk.close();
