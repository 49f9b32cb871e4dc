// Whether anything was patched. A patch that shows is worse than what it hides.

// Everything that is ever patched for looks.
const suspects = () => {
  const getters = (prototype) => Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { get, value }]) =>
    get ? [[`${prototype[Symbol.toStringTag]} get ${name}`, get]] : typeof value === "function" ? [[`${prototype[Symbol.toStringTag]} ${name}`, value]] : []);
  return [Navigator, Screen, Permissions, PluginArray, Plugin, MimeTypeArray, HTMLIFrameElement, HTMLCanvasElement, HTMLMediaElement, WebGLRenderingContext, WebGL2RenderingContext, CanvasRenderingContext2D, NavigatorUAData, NetworkInformation, RTCPeerConnection, Notification, MediaDevices, SpeechSynthesis, AudioBuffer, Element, Date, Function, Error]
    .flatMap(({ prototype }) => getters(prototype))
    .concat(["fetch", "eval", "setTimeout", "requestAnimationFrame", "matchMedia", "getComputedStyle", "open"].map((name) => [name, window[name]]));
};
const wrong = (test) => {
  const found = suspects().filter(([, fn]) => test(fn) !== true).map(([name]) => name);
  return found.length === 0 || found.slice(0, 10).join();
};
const caught = (run) => { try { run(); } catch (error) { return error; } return null; };

check("every function reads as native", () => wrong(isNative));
check("every function reads as native in a frame's eyes", () => {
  const frame = frameOf();
  const { toString } = frame.contentWindow.Function.prototype;
  const found = wrong((fn) => nativeText.test(toString.call(fn)));
  frame.remove();
  return found;
});
check("reading a function is native itself", () => allOf({
  text: nativeText.test(toText.call(toText)), own: toText + "" === "function toString() { [native code] }", name: toText.name === "toString", length: toText.length === 0,
  keys: Object.getOwnPropertyNames(toText).sort().join() === "length,name", refuses: caught(() => toText.call({})) instanceof TypeError,
  bare: caught(() => Object.create(toText).toString()) instanceof TypeError,
}));
check("functions have the properties of native ones", () => wrong((fn) => {
  const names = Object.getOwnPropertyNames(fn).sort().join();
  return names === "length,name" || fn === Function.prototype.constructor || (Object.hasOwn(fn, "prototype") && isNative(fn));
}));
check("getters are named as native ones", () => wrong((fn) => !/^get /.test(fn.name) || fn.length === 0));
check("nothing but classes can be made", () => wrong((fn) => {
  if (Object.hasOwn(fn, "prototype")) return true;
  const error = caught(() => Reflect.construct(Object, [], fn));
  return error instanceof TypeError && /not a constructor/.test(error.message);
}));
check("the wrong receiver is refused as natively", () => {
  const found = [];
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(Navigator.prototype))) {
    if (!get) continue;
    const error = caught(() => get.call(Navigator.prototype));
    if (!(error instanceof TypeError) || error.message !== "Illegal invocation" || error.stack.split("\n").some((line) => /Reflect|Proxy|Object\.(apply|get)/.test(line))) found.push(name);
  }
  return found.length === 0 || found.join();
});
check("no function is a proxy by its chain", () => wrong((fn) => {
  const before = Object.getPrototypeOf(fn);
  const error = caught(() => Object.setPrototypeOf(fn, Object.create(fn)));
  Object.setPrototypeOf(fn, before);
  return error instanceof TypeError && /Cyclic/.test(error.message) && !/Reflect|Proxy/.test(error.stack);
}));
check("no function is a proxy by its instances", () => wrong((fn) => {
  if (Object.hasOwn(fn, "prototype")) return true;
  const error = caught(() => ({}) instanceof fn);
  return error instanceof TypeError && !/Reflect|Proxy/.test(error.stack);
}));
check("no function is a proxy by its depth", () => wrong((fn) => {
  const error = caught(() => Object.create(fn).toString());
  const second = error?.stack.split("\n")[1] ?? "";
  return error instanceof TypeError && /at (Function|Object)\.toString/.test(second);
}));
check("objects have what they have in a new frame", () => {
  const frame = frameOf();
  const found = ["Navigator", "Screen", "Permissions", "PluginArray", "HTMLIFrameElement", "HTMLCanvasElement", "WebGLRenderingContext", "Function", "Notification", "NavigatorUAData"].filter((name) =>
    Object.getOwnPropertyNames(window[name].prototype).join() !== Object.getOwnPropertyNames(frame.contentWindow[name].prototype).join());
  frame.remove();
  return found.length === 0 || found.join();
});
check("properties have the flags of native ones", () => {
  const odd = Object.entries(Object.getOwnPropertyDescriptors(Navigator.prototype)).filter(([name, property]) =>
    name !== "constructor" && property.get && !(property.enumerable && property.configurable && (property.set === undefined || isNative(property.set))));
  return odd.length === 0 || odd.map(([name]) => name).join();
});
check("objects are of their classes", () => allOf({
  navigator: Object.getPrototypeOf(navigator) === Navigator.prototype && String(navigator) === "[object Navigator]",
  screen: Object.getPrototypeOf(screen) === Screen.prototype && Object.getOwnPropertyNames(screen).length === 0,
  languages: Array.isArray(navigator.languages), permissions: navigator.permissions instanceof Permissions,
  connection: navigator.connection instanceof NetworkInformation,
}));
