// Who the browser says it is: here, to the server, and in every place where it says so.

const entropy = ["architecture", "bitness", "formFactors", "fullVersionList", "model", "platformVersion", "uaFullVersion", "wow64"];
const headersSeen = () => fetch("headers").then((answer) => answer.json());
const brandsText = (brands) => brands.map(({ brand, version }) => `"${brand}";v="${version}"`).join(", ");
const major = () => /Chrome\/(\d+)/.exec(navigator.userAgent)?.[1];

check("the user agent is not headless", () => !/headless/i.test(navigator.userAgent + navigator.appVersion) || navigator.userAgent);
check("the user agent has the usual form", () =>
  /^Mozilla\/5\.0 \((X11; Linux x86_64|Windows NT 10\.0; Win64; x64|Macintosh; Intel Mac OS X 10_15_7)\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/\d+\.0\.0\.0 Safari\/537\.36( Edg\/[\d.]+)?$/.test(navigator.userAgent) || navigator.userAgent);
check("the version of the application is that of the user agent", () => navigator.appVersion === navigator.userAgent.replace("Mozilla/", "") || navigator.appVersion);
check("vendor and product are the usual ones", () => differences(
  { vendor: "Google Inc.", vendorSub: "", productSub: "20030107", product: "Gecko", appName: "Netscape", appCodeName: "Mozilla" }, navigator));
check("the platform is that of the user agent", () => {
  const { platform, userAgent } = navigator;
  return userAgent.includes({ Linux: "Linux", Win32: "Windows", MacIntel: "Macintosh" }[platform.split(" ")[0]] ?? "?") || platform;
});
check("there are brands, one of them Chromium", () => {
  const brands = navigator.userAgentData?.brands ?? [];
  return (brands.length >= 2 && brands.some(({ brand, version }) => brand === "Chromium" && version === major())) || JSON.stringify(brands);
});
check("one brand is meant to be ignored", () => {
  const odd = navigator.userAgentData?.brands?.filter(({ brand }) => /not.*brand/i.test(brand)) ?? [];
  return odd.length === 1 || JSON.stringify(navigator.userAgentData?.brands);
});
check("no brand is headless", () => !/headless/i.test(JSON.stringify(navigator.userAgentData)) || JSON.stringify(navigator.userAgentData));
check("the platform of the hints is that of the user agent", () => {
  const { platform, mobile } = navigator.userAgentData;
  return (navigator.userAgent.includes({ Linux: "Linux", Windows: "Windows", macOS: "Macintosh" }[platform] ?? "?") && mobile === false) || platform;
});
check("the hints are complete and of one version", async () => {
  const hints = await navigator.userAgentData.getHighEntropyValues(entropy);
  const names = (list) => list.map(({ brand }) => brand).join();
  return allOf({
    architecture: ["x86", "arm"].includes(hints.architecture) || hints.architecture,
    bitness: hints.bitness === "64" || hints.bitness,
    model: hints.model === "" || hints.model,
    wow64: hints.wow64 === false || hints.wow64,
    formFactors: hints.formFactors.join() === "Desktop" || hints.formFactors,
    version: hints.uaFullVersion.split(".").length === 4 && hints.uaFullVersion.startsWith(`${major()}.`) || hints.uaFullVersion,
    list: names(hints.fullVersionList) === names(navigator.userAgentData.brands) || hints.fullVersionList,
    listed: hints.fullVersionList.some(({ brand, version }) => brand === "Chromium" && version === hints.uaFullVersion) || hints.fullVersionList,
    headless: !/headless/i.test(JSON.stringify(hints)) || hints,
  });
});
check("the hints are a native object", () => allOf({
  type: Object.prototype.toString.call(navigator.userAgentData) === "[object NavigatorUAData]",
  instance: navigator.userAgentData instanceof NavigatorUAData,
  native: isNative(NavigatorUAData.prototype.getHighEntropyValues),
  json: Object.keys(navigator.userAgentData.toJSON()).join() === "brands,mobile,platform",
}));
check("the server is told the same user agent", async () => differences({ "user-agent": navigator.userAgent }, await headersSeen()));
check("the server is told the same brands", async () => {
  const { brands, platform } = navigator.userAgentData;
  const right = { "sec-ch-ua": brandsText(brands), "sec-ch-ua-platform": `"${platform}"`, "sec-ch-ua-mobile": "?0" };
  return differences(right, await headersSeen());
});
check("the page itself was asked for by the same", async () => {
  const first = await fetch("headers-of/checks.html").then((answer) => answer.json());
  return differences({ "user-agent": navigator.userAgent, "sec-ch-ua": brandsText(navigator.userAgentData.brands) }, first);
});
check("the page itself was asked for as by a person", async () => {
  const first = await fetch("headers-of/checks.html").then((answer) => answer.json());
  const right = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-user": "?1", "sec-fetch-dest": "document", "upgrade-insecure-requests": "1" };
  const found = differences(right, first);
  return found === true ? /image\/avif/.test(first.accept) && /gzip, deflate, br/.test(first["accept-encoding"]) && document.referrer === "" : found;
});
check("a frame is asked for by the same", async () => {
  const frame = frameOf((element) => { element.src = "headers"; });
  await loaded(frame);
  const seen = JSON.parse(frame.contentDocument.body.textContent);
  frame.remove();
  const own = await headersSeen();
  return differences({ "user-agent": own["user-agent"], "sec-ch-ua": own["sec-ch-ua"], "accept-language": own["accept-language"] }, seen);
});
check("the languages are a frozen list", () => allOf({
  some: navigator.languages.length > 0, first: navigator.languages[0] === navigator.language, frozen: Object.isFrozen(navigator.languages),
}));
check("the server is told the same languages", async () => {
  const asked = (await headersSeen())["accept-language"] ?? "";
  const told = asked.split(",").map((part) => part.split(";")[0].trim());
  // Chromium adds the language without its country where it is not in the list.
  const wanted = navigator.languages.filter((language) => !told.includes(language));
  return (told[0] === navigator.languages[0] && wanted.length === 0) || `${asked} is not ${navigator.languages}`;
});
check("dates and numbers are written in the first language", () => {
  const locale = Intl.DateTimeFormat().resolvedOptions().locale;
  return locale.split("-")[0] === navigator.language.split("-")[0] || `${locale} is not ${navigator.language}`;
});
check("the time zone is the same everywhere", () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const now = new Date();
  const there = new Date(now.toLocaleString("en-US", { timeZone }));
  const here = new Date(now.toLocaleString("en-US"));
  return (typeof timeZone === "string" && timeZone !== "" && Math.abs(there - here) < 1000) || String(timeZone);
});
