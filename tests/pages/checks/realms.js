// The same browser in every frame and in every worker.

const asSeenBy = ({ navigator: { userAgent, platform, languages, hardwareConcurrency, deviceMemory, webdriver, plugins, userAgentData, vendor, maxTouchPoints }, screen, chrome }) => ({
  userAgent, platform, languages, hardwareConcurrency, deviceMemory, webdriver, vendor, maxTouchPoints,
  plugins: plugins.length, brands: userAgentData?.brands, width: screen.width, height: screen.height, chrome: typeof chrome,
});
const ownView = () => asSeenBy(window);

check("a new frame is the same at once", () => {
  const frame = frameOf();
  const found = differences(ownView(), asSeenBy(frame.contentWindow));
  frame.remove();
  return found;
});
check("a frame with its own text is the same", async () => {
  const frame = frameOf((element) => { element.srcdoc = "<p>text"; });
  const early = differences(ownView(), asSeenBy(frame.contentWindow));
  await loaded(frame);
  const late = differences(ownView(), asSeenBy(frame.contentWindow));
  frame.remove();
  return early === true ? late : early;
});
check("a frame in a frame is the same", () => {
  const frame = frameOf();
  const inner = frame.contentDocument.createElement("iframe");
  frame.contentDocument.body.append(inner);
  const found = differences(ownView(), asSeenBy(inner.contentWindow));
  frame.remove();
  return found;
});
check("a frame in a sandbox is the same", async () => {
  const frame = frameOf((element) => { element.sandbox = "allow-scripts"; element.srcdoc = "<script>parent.postMessage({sandbox: [navigator.userAgent, navigator.webdriver, navigator.hardwareConcurrency, JSON.stringify(navigator.userAgentData?.brands ?? null)]}, '*')</script>"; });
  const data = await within(new Promise((yes) => addEventListener("message", ({ data }) => data.sandbox && yes(data.sandbox))), "the frame");
  frame.remove();
  // Its origin is opaque: what only safe places see may be absent.
  return differences({ 0: navigator.userAgent, 1: false, 2: navigator.hardwareConcurrency }, data);
});
check("a frame of another site is the same", async () => {
  const other = location.origin.replace("127.0.0.1", "localhost");
  const frame = frameOf((element) => { element.src = `${other}/checks/frame.html`; });
  const data = await within(new Promise((yes) => addEventListener("message", ({ data }) => data.elsewhere && yes(data.elsewhere))), "the frame");
  frame.remove();
  return differences({ ...ownView(), renderer: card().renderer, language: navigator.language }, data);
});
check("the window of a frame is no copy", () => {
  const frame = frameOf((element) => { element.srcdoc = "text"; });
  const inner = frame.contentWindow;
  const getter = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentWindow").get;
  const found = allOf({ self: inner.self === inner && inner.window === inner && inner.frameElement === frame, native: isNative(getter), same: inner === frame.contentWindow, own: !Object.hasOwn(frame, "contentWindow"), named: window[window.length - 1] === inner });
  frame.remove();
  return found;
});
check("a frame's functions are its own", () => {
  const frame = frameOf();
  const { contentWindow: inner } = frame;
  const found = allOf({ text: inner.Function.prototype.toString !== toText, get: inner.Navigator.prototype !== Navigator.prototype, instance: inner.navigator instanceof inner.Navigator && !(inner.navigator instanceof Navigator) });
  frame.remove();
  return found;
});

const inWorker = async () => {
  const hints = await navigator.userAgentData?.getHighEntropyValues(["architecture", "bitness", "platformVersion", "uaFullVersion", "fullVersionList"]);
  const { userAgent, appVersion, platform, languages, language, hardwareConcurrency, deviceMemory, userAgentData } = navigator;
  const asked = await headersSeen();
  return {
    userAgent, appVersion, platform, languages, language, hardwareConcurrency, deviceMemory, webdriver: false,
    brands: userAgentData?.brands, mobile: userAgentData?.mobile, hintPlatform: userAgentData?.platform,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, renderer: card().renderer ?? null, hints, names: [],
    // Workers send no brands.
    headers: { "user-agent": asked["user-agent"], "accept-language": asked["accept-language"] },
  };
};
const fileAskedBy = async () => differences({ "user-agent": navigator.userAgent }, await fetch("headers-of/checks/worker.js").then((answer) => answer.json()));
const told = (port) => within(new Promise((yes) => { port.onmessage = ({ data }) => yes(data); }), "the worker");

check("a worker is the same", async () => {
  const worker = new Worker("checks/worker.js");
  const answer = told(worker);
  const found = differences(await inWorker(), await answer);
  worker.terminate();
  const asked = await fileAskedBy();
  return found === true ? asked : found;
});
check("a worker without a file is the same", async () => {
  const code = "postMessage([navigator.userAgent, navigator.languages.join(), navigator.hardwareConcurrency, JSON.stringify(navigator.userAgentData?.brands)])";
  const worker = new Worker(URL.createObjectURL(new Blob([code])));
  const found = await told(worker);
  worker.terminate();
  return differences([navigator.userAgent, navigator.languages.join(), navigator.hardwareConcurrency, JSON.stringify(navigator.userAgentData?.brands)], found);
});
check("a shared worker is the same", async () => {
  const { port } = new SharedWorker("checks/worker.js");
  const answer = told(port);
  const found = differences(await inWorker(), await answer);
  const asked = await fileAskedBy();
  return found === true ? asked : found;
});
check("a service worker is the same", async () => {
  const registration = await navigator.serviceWorker.register("checks/worker.js");
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  await within(new Promise((yes) => { if (worker.state === "activated") yes(); worker.onstatechange = () => worker.state === "activated" && yes(); }), "the worker");
  const { port1, port2 } = new MessageChannel();
  const answer = told(port1);
  worker.postMessage("look", [port2]);
  const found = differences(await inWorker(), await answer);
  await registration.unregister();
  const asked = await fileAskedBy();
  return found === true ? asked : found;
});
