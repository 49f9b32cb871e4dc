// A click as a hand makes it: the test clicks on #target, then asks for `clicked()`.
const felt = [];
for (const type of ["pointermove", "mousemove", "pointerdown", "mousedown", "pointerup", "mouseup", "click"])
  addEventListener(type, (event) => felt.push(event), true);

const inputChecks = {
  "a click is trusted": () => felt.every(({ isTrusted }) => isTrusted),
  "a click has all its events in order": () => {
    const order = felt.map(({ type }) => type).filter((type) => !/move/.test(type)).join();
    return order === "pointerdown,mousedown,pointerup,mouseup,click" || order;
  },
  "the pointer moves before it presses": () => felt.findIndex(({ type }) => type === "mousemove") === 1 || felt.map(({ type }) => type).join(),
  "the pointer is a mouse": () => felt.filter(({ type }) => /pointer/.test(type)).every(({ pointerType, isPrimary, width, height }) => pointerType === "mouse" && isPrimary && width === 1 && height === 1),
  "a button that is down presses": () => felt.find(({ type }) => type === "pointerdown").pressure === 0.5 && felt.find(({ type }) => type === "mousedown").buttons === 1,
  "points are whole": () => {
    const { clientX, clientY, screenX, screenY } = felt.find(({ type }) => type === "pointerdown");
    return [clientX, clientY, screenX, screenY].every(Number.isInteger) || `${clientX},${clientY}`;
  },
  "points on the screen are where the page is": () => {
    const { clientX, clientY, screenX: x, screenY: y } = felt.find(({ type }) => type === "mousedown");
    const [left, top] = [x - clientX - screenX, y - clientY - screenY];
    return (left >= 0 && left <= outerWidth - innerWidth && top > 0 && top <= outerHeight - innerHeight) || `${left},${top}`;
  },
  "movements add up": () => {
    const moves = felt.filter(({ type }) => type === "mousemove");
    const odd = moves.slice(1).filter((event, at) => event.movementX !== event.screenX - moves[at].screenX || event.movementY !== event.screenY - moves[at].screenY);
    return odd.length === 0 || odd.map(({ movementX, movementY }) => `${movementX},${movementY}`).join(" ");
  },
  "it was no touch": () => felt.filter(({ type }) => /mouse|click/.test(type)).every(({ sourceCapabilities }) => sourceCapabilities?.firesTouchEvents === false),
};
// For a click in a frame of another site, whose corner is at the given point of the page.
function frameElsewhere(left, top) {
  const frame = frameOf((element) => {
    element.style.cssText = `position: absolute; left: ${left}px; top: ${top}px; width: 300px; height: 200px; border: 0`;
    element.src = `${location.origin.replace("127.0.0.1", "localhost")}/checks/frame.html`;
  });
  pressedInFrame = within(new Promise((yes) => addEventListener("message", ({ data }) => data.pressed && yes(data.pressed))), "the frame");
  return loaded(frame).then(() => true);
}
let pressedInFrame;
inputChecks["points in a frame of another site are where the frame is"] = async () => {
  const [clientX, clientY, x, y] = await pressedInFrame;
  const own = felt.find(({ type }) => type === "mousedown");
  const page = [own.screenX - own.clientX, own.screenY - own.clientY];
  return (x - clientX === page[0] + 300 && y - clientY === page[1] + 400) || `${x - clientX},${y - clientY} is not ${page[0] + 300},${page[1] + 400}`;
};
async function clicked() {
  const results = {};
  for (const [name, test] of Object.entries(inputChecks)) results[name] = await one(test);
  return results;
}
