// What is drawn, and by what.

const software = /swiftshader|llvmpipe|softpipe|lavapipe|swrast|software|basic render|virtualbox|vmware|paravirtual/i;
function cardOf(gl) {
  if (!gl) return { none: true };
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return {
    vendor: gl.getParameter(info?.UNMASKED_VENDOR_WEBGL ?? 37445), renderer: gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? 37446),
    size: gl.getParameter(gl.MAX_TEXTURE_SIZE),
  };
}
const card = (kind = "webgl") => cardOf(document.createElement("canvas").getContext(kind));

check("there is a graphics card", () => {
  const { none, vendor, renderer } = card();
  return (!none && Boolean(vendor && renderer)) || "no WebGL";
});
check("the graphics card is not software", () => {
  const { renderer = "none", vendor } = card();
  return (renderer !== "none" && !software.test(renderer + vendor)) || renderer;
});
check("the maker of the card is the same in both names", () => {
  const { vendor = "", renderer = "" } = card();
  const maker = /^Google Inc\. \((.+)\)$/.exec(vendor)?.[1];
  return (maker !== undefined && renderer.startsWith(`ANGLE (${maker}, `)) || `${vendor}, ${renderer}`;
});
check("the names that everyone may see are the usual ones", () => {
  const gl = document.createElement("canvas").getContext("webgl");
  return differences({ VENDOR: "WebKit", RENDERER: "WebKit WebGL", VERSION: "WebGL 1.0 (OpenGL ES 2.0 Chromium)" },
    { VENDOR: gl.getParameter(gl.VENDOR), RENDERER: gl.getParameter(gl.RENDERER), VERSION: gl.getParameter(gl.VERSION) });
});
check("the card is the same in the second version", () => differences(card(), card("webgl2")));
check("the card is the same off the screen", () => differences(card(), cardOf(new OffscreenCanvas(10, 10).getContext("webgl"))));
check("the card has what cards have", () => {
  const gl = document.createElement("canvas").getContext("webgl");
  const names = gl.getSupportedExtensions();
  return allOf({ size: gl.getParameter(gl.MAX_TEXTURE_SIZE) >= 4096, some: names.length >= 20 || names.length, anisotropic: names.includes("EXT_texture_filter_anisotropic"), precision: gl.getShaderPrecisionFormat(gl.FRAGMENT_SHADER, gl.HIGH_FLOAT).precision === 23 });
});
check("the functions of the card are native", () => allOf(Object.fromEntries([WebGLRenderingContext, WebGL2RenderingContext].flatMap(({ prototype }) => ["getParameter", "getExtension", "getSupportedExtensions", "readPixels"].map((name) => [name, isNative(prototype[name])])))));
check("the card draws what it is told", () => {
  const gl = document.createElement("canvas").getContext("webgl");
  gl.clearColor(1, 0, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  const pixel = new Uint8Array(4);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  return pixel.join() === "255,0,0,255" || pixel.join();
});

function drawn(owner = document) {
  const canvas = owner.createElement("canvas");
  canvas.width = 240;
  canvas.height = 60;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#f60";
  pen.fillRect(100, 5, 80, 50);
  pen.fillStyle = "#069";
  pen.font = "16px serif";
  pen.fillText("Cwm fjordbank glyphs", 4, 30);
  pen.beginPath();
  pen.arc(60, 30, 20, 0, 5);
  pen.stroke();
  return canvas;
}
check("a drawing is the same twice", () => drawn().toDataURL() === drawn().toDataURL());
check("a drawing is the same in a frame", () => {
  const frame = frameOf();
  const same = drawn().toDataURL() === drawn(frame.contentDocument).toDataURL();
  frame.remove();
  return same;
});
check("a drawing is read as it was drawn", () => {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  pen.fillStyle = "rgb(10, 120, 230)";
  pen.fillRect(0, 0, 50, 50);
  const { data } = pen.getImageData(0, 0, 50, 50);
  const noise = data.filter((value, at) => value !== [10, 120, 230, 255][at % 4]).length;
  return noise === 0 || `${noise} values were changed`;
});
check("the functions of drawings are native", () => allOf({
  url: isNative(HTMLCanvasElement.prototype.toDataURL), blob: isNative(HTMLCanvasElement.prototype.toBlob),
  read: isNative(CanvasRenderingContext2D.prototype.getImageData), context: isNative(HTMLCanvasElement.prototype.getContext),
}));
