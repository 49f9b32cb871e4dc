// What drivers leave behind.

check("webdriver is false", () => navigator.webdriver === false || String(navigator.webdriver));
check("webdriver is a native getter of the prototype", () => {
  const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(Navigator.prototype, "webdriver") ?? {};
  return allOf({ native: isNative(get), name: get?.name === "get webdriver", set: set === undefined, enumerable, configurable });
});
check("webdriver is not a property of the navigator itself", () => Object.getOwnPropertyNames(navigator).length === 0 || Object.getOwnPropertyNames(navigator).join());

const driverNames = /^(\$?cdc_|\$chrome_async|__?(playwright|puppeteer|pw|selenium|webdriver|driver|fxdriver|nightmare|phantom|lastWatir)|_?phantom|callPhantom|_Selenium|domAutomation|awesomium|spawn$|emit$|Buffer$|geb$|Cypress|deskhand|calledSelenium|webdriver)/i;
check("no globals of drivers", () => {
  const found = [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)].filter((name) => driverNames.test(name));
  return found.length === 0 || found.join();
});
check("no attributes of drivers", () => {
  const found = [document.documentElement, document.body].flatMap((element) => element.getAttributeNames()).filter((name) => name !== "lang");
  return found.length === 0 || found.join();
});
check("no elements of drivers", () => {
  const strange = [...document.querySelectorAll("body > *")].filter((element) => !element.matches("script, iframe, #target"));
  return strange.length === 0 || strange.map((element) => element.outerHTML.slice(0, 80)).join();
});
check("no globals that a new frame does not have", () => {
  const frame = frameOf();
  const known = new Set(Object.getOwnPropertyNames(frame.contentWindow));
  frame.remove();
  // What functions and classes of these files are called is lexical or here.
  const ours = new Set(["differences", "frameOf", "one", "cardOf", "drawn", "clicked", "frameElsewhere", "target", "0", "1", "2", "3", "4"]);
  const extra = Object.getOwnPropertyNames(window).filter((name) => !known.has(name) && !ours.has(name));
  return extra.length === 0 || extra.join();
});
check("logged errors are not read", () => {
  let read = false;
  const error = new Error();
  Object.defineProperty(error, "stack", { get() { read = true; return ""; } });
  console.debug(error);
  return !read || "somebody reads the console";
});
check("logged objects are not read", () => {
  let read = false;
  const seen = { get id() { read = true; return 1; }, toString() { read = true; return ""; } };
  console.debug(seen);
  console.table?.([{ get id() { read = true; return 1; } }]);
  return !read || "somebody reads the console";
});
check("logged proxies are not walked", () => {
  let read = false;
  const walked = new Proxy({}, { ownKeys() { read = true; return []; }, getPrototypeOf() { read = true; return null; } });
  console.debug(Object.create(walked));
  return !read || "somebody reads the console";
});
check("no debugger stops", () => {
  const before = performance.now();
  // eslint-disable-next-line no-debugger
  debugger;
  return performance.now() - before < 1000 || "it stopped";
});
check("stacks name only files of the page", () => {
  const lines = new Error().stack.split("\n").slice(1);
  const strange = lines.filter((line) => !line.includes("/checks") && !line.includes("<anonymous>"));
  return strange.length === 0 || strange.join();
});
check("stacks are not prepared by others", () => Error.prepareStackTrace === undefined && Error.stackTraceLimit === 10);
check("the page may bind what drivers bind", () => ["exposeBinding", "__pwInitScripts", "$x", "$$"].every((name) => !(name in window)));
