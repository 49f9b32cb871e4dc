// What a desktop browser has.

const pdfNames = ["PDF Viewer", "Chrome PDF Viewer", "Chromium PDF Viewer", "Microsoft Edge PDF Viewer", "WebKit built-in PDF"];
check("there are the five plugins for documents", () => {
  const names = [...navigator.plugins].map(({ name }) => name).join();
  return names === pdfNames.join() || names || "none";
});
check("the plugins are native objects", () => allOf({
  list: navigator.plugins instanceof PluginArray && String(navigator.plugins) === "[object PluginArray]",
  one: navigator.plugins[0] instanceof Plugin && String(navigator.plugins[0]) === "[object Plugin]",
  item: isNative(navigator.plugins.item) && isNative(navigator.plugins.namedItem) && isNative(navigator.plugins.refresh),
  same: navigator.plugins[0] === navigator.plugins[0] && navigator.plugins.namedItem("PDF Viewer") === navigator.plugins[0],
  large: navigator.plugins.item(2 ** 32) === navigator.plugins[0],
  own: !Object.getOwnPropertyNames(navigator).includes("plugins"),
}));
check("the types are those of the plugins", () => {
  const types = [...navigator.mimeTypes].map(({ type }) => type).join();
  return allOf({
    types: types === "application/pdf,text/pdf" || types,
    list: navigator.mimeTypes instanceof MimeTypeArray,
    one: navigator.mimeTypes[0] instanceof MimeType,
    plugin: navigator.mimeTypes[0]?.enabledPlugin === navigator.plugins[0],
  });
});
check("documents are shown", () => navigator.pdfViewerEnabled === true);
check("chrome is there", () => {
  // Whether it can be configured differs between versions.
  const { value, writable, enumerable } = Object.getOwnPropertyDescriptor(window, "chrome") ?? {};
  return allOf({ type: typeof value === "object" || typeof value, writable, enumerable });
});
check("chrome has what it has on web pages", () => allOf({
  app: typeof chrome?.app === "object" && chrome.app.isInstalled === false,
  csi: isNative(chrome?.csi), times: isNative(chrome?.loadTimes),
  filled: typeof chrome?.csi?.()?.pageT === "number" && typeof chrome?.loadTimes?.()?.requestTime === "number",
}));
check("chrome has no runtime on web pages", () => !("runtime" in (window.chrome ?? {})));
check("the number of processors is plausible", () => {
  const { hardwareConcurrency } = navigator;
  return (Number.isInteger(hardwareConcurrency) && hardwareConcurrency >= 2 && hardwareConcurrency <= 256) || hardwareConcurrency;
});
check("the memory is plausible", () => [1, 2, 4, 8, 16, 32].includes(navigator.deviceMemory) || navigator.deviceMemory);
check("there is no touch screen", () => allOf({ points: navigator.maxTouchPoints === 0, events: !("ontouchstart" in window), any: !matchMedia("(any-pointer: coarse)").matches }));
check("the connection takes time", () => (navigator.connection?.rtt > 0 && navigator.connection.downlink > 0) || navigator.connection?.rtt);
check("the connection has an ordinary speed", () => navigator.connection?.effectiveType === "4g" || navigator.connection?.effectiveType);
check("the battery answers", async () => {
  const battery = await navigator.getBattery();
  return allOf({ charging: typeof battery.charging === "boolean", level: battery.level >= 0 && battery.level <= 1 });
});
check("cookies work and the browser is on line", () => navigator.cookieEnabled && navigator.onLine);
check("notifications were never asked about", () => Notification.permission === "default" || Notification.permission);
check("notifications are the same by both ways", async () => {
  const { state } = await navigator.permissions.query({ name: "notifications" });
  return (state === "prompt" ? "default" : state) === Notification.permission || `${state}, ${Notification.permission}`;
});
check("other permissions were never asked about", async () => {
  const states = {};
  for (const name of ["geolocation", "camera", "microphone"]) states[name] = (await navigator.permissions.query({ name })).state;
  return differences({ geolocation: "prompt", camera: "prompt", microphone: "prompt" }, states);
});
check("permissions are native", async () => allOf({
  query: isNative(navigator.permissions.query),
  status: (await navigator.permissions.query({ name: "geolocation" })) instanceof PermissionStatus,
  refuses: await navigator.permissions.query({ name: "nothing" }).then(() => "answered", (error) => error instanceof TypeError),
}));
check("the policy has the usual features", () => {
  const features = document.featurePolicy?.allowedFeatures() ?? [];
  return ["camera", "geolocation", "fullscreen", "autoplay"].every((name) => features.includes(name)) || features.join();
});
check("the memory of the page is counted", () => {
  const { jsHeapSizeLimit, totalJSHeapSize, usedJSHeapSize } = performance.memory ?? {};
  return (jsHeapSizeLimit > totalJSHeapSize && totalJSHeapSize >= usedJSHeapSize && usedJSHeapSize > 0) || String(jsHeapSizeLimit);
});
check("external is the old object", () => allOf({ text: String(window.external) === "[object External]", native: isNative(window.external.AddSearchProvider) }));
check("numbers come out as in this engine", () => allOf({
  tan: Math.tan(-1e300) === -1.4214488238747245 || Math.tan(-1e300), acosh: Math.acosh(1e300) === 691.4686750787736 || Math.acosh(1e300),
  eval: eval.toString().length === 33,
}));
check("there is room on the disk", async () => (await navigator.storage.estimate()).quota > 2 ** 27 || "little");
check("worklets, locks and the like are there", () => ["locks", "mediaSession", "credentials", "keyboard", "serviceWorker", "clipboard", "usb", "gpu"].filter((name) => !(name in navigator)).join() || true);
