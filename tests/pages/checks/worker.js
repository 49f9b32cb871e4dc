// What a worker sees; for all three kinds.
function seen() {
  const { userAgent, appVersion, platform, languages, language, hardwareConcurrency, deviceMemory, userAgentData, webdriver } = navigator;
  const gl = typeof OffscreenCanvas === "function" ? new OffscreenCanvas(10, 10).getContext("webgl") : null;
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  return {
    userAgent, appVersion, platform, languages, language, hardwareConcurrency, deviceMemory, webdriver: webdriver === true,
    brands: userAgentData?.brands, mobile: userAgentData?.mobile, hintPlatform: userAgentData?.platform,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    renderer: gl ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : null,
  };
}

async function answer(port) {
  const hints = await navigator.userAgentData?.getHighEntropyValues(["architecture", "bitness", "platformVersion", "uaFullVersion", "fullVersionList"]);
  const asked = await fetch("../headers").then((response) => response.json());
  const headers = { "user-agent": asked["user-agent"], "accept-language": asked["accept-language"], "sec-ch-ua": asked["sec-ch-ua"] };
  const names = Object.getOwnPropertyNames(self).filter((name) => /cdc_|playwright|puppeteer|__pw/i.test(name));
  port.postMessage({ ...seen(), hints, headers, names });
}

if (typeof SharedWorkerGlobalScope === "function" && self instanceof SharedWorkerGlobalScope) {
  self.onconnect = ({ ports: [port] }) => answer(port);
} else if (typeof ServiceWorkerGlobalScope === "function" && self instanceof ServiceWorkerGlobalScope) {
  self.onmessage = ({ data, ports: [port] }) => data === "look" && answer(port);
} else {
  answer(self);
}
