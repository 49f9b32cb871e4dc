// A window on a screen.

check("the window has an outside", () => (outerWidth > 0 && outerHeight > 0) || `${outerWidth}×${outerHeight}`);
check("the window is larger than the page", () => (outerWidth >= innerWidth && outerHeight > innerHeight && outerHeight - innerHeight < 300) || `${outerWidth}×${outerHeight}, ${innerWidth}×${innerHeight}`);
check("the screen has room for the window", () => (outerWidth <= screen.width && outerHeight <= screen.height) || `${outerWidth}×${outerHeight}, ${screen.width}×${screen.height}`);
check("the window is on the screen", () => (screenX >= 0 && screenY >= 0 && screenX + outerWidth <= screen.width && screenY + outerHeight <= screen.height) || `${screenX},${screenY}`);
check("what is free of the screen is in it", () => (screen.availWidth > 0 && screen.availWidth <= screen.width && screen.availHeight > 0 && screen.availHeight <= screen.height) || `${screen.availWidth}×${screen.availHeight}`);
check("the window has its bars", () => allOf(Object.fromEntries(["menubar", "toolbar", "locationbar", "statusbar", "personalbar", "scrollbars"].map((name) => [name, window[name].visible]))));
check("the desktop has a bar", () => screen.availHeight < screen.height || screen.availWidth < screen.width || "none");
check("the window is not the screen", () => !(visualViewport.width === screen.width && visualViewport.height === screen.height));
check("the screen is a usual one", () => (screen.width >= 1024 && screen.height >= 720 && screen.width > screen.height) || `${screen.width}×${screen.height}`);
check("the screen has colours", () => (screen.colorDepth >= 24 && screen.pixelDepth === screen.colorDepth) || screen.colorDepth);
check("the screen lies on its side", () => screen.orientation.type === "landscape-primary" || screen.orientation.type);
check("styles see the same screen", () => (matchMedia(`(device-width: ${screen.width}px) and (device-height: ${screen.height}px)`).matches && matchMedia(`(width: ${innerWidth}px)`).matches) || "other sizes");
check("styles see the same density", () => (devicePixelRatio >= 1 && matchMedia(`(resolution: ${devicePixelRatio}dppx)`).matches) || devicePixelRatio);
check("there is a mouse", () => allOf(Object.fromEntries(["(hover: hover)", "(pointer: fine)", "(any-hover: hover)", "(any-pointer: fine)"].map((query) => [query, matchMedia(query).matches]))));
check("colours are light or dark", () => matchMedia("(prefers-color-scheme: light)").matches !== matchMedia("(prefers-color-scheme: dark)").matches);
check("colours of the system are those of a desktop", () => {
  const box = document.createElement("div");
  document.body.append(box);
  const colour = (name) => { box.style.color = name; return getComputedStyle(box).color; };
  const found = [colour("Canvas") !== colour("CanvasText"), colour("Highlight") !== colour("Canvas"), colour("ActiveText") !== "rgb(0, 0, 0)"];
  box.remove();
  return found.every(Boolean) || found.join();
});
check("motion is not reduced", () => matchMedia("(prefers-reduced-motion: no-preference)").matches);
check("the page is seen", () => (document.visibilityState === "visible" && !document.hidden) || document.visibilityState);
check("the page has the focus", () => document.hasFocus());
check("frames are drawn", () => within(new Promise((yes) => requestAnimationFrame(() => requestAnimationFrame(() => yes(true)))), "the screen"));
check("scroll bars have a width", () => {
  const box = document.createElement("div");
  box.style.cssText = "width: 100px; height: 100px; overflow: scroll; position: absolute; visibility: hidden";
  document.body.append(box);
  const width = box.offsetWidth - box.clientWidth;
  box.remove();
  return (width >= 6 && width <= 20) || width;
});
check("a broken picture has a size", async () => {
  const picture = document.createElement("img");
  document.body.append(picture);
  await within(new Promise((yes) => { picture.onerror = yes; picture.src = "nothing-here.png"; }), "the picture");
  const { width, height, naturalWidth } = picture;
  picture.remove();
  return (width === 16 && height === 16 && naturalWidth === 0) || `${width}×${height}`;
});
check("boxes are measured the same twice", () => {
  const measure = () => JSON.stringify([...document.querySelector("#target").getClientRects()]);
  return measure() === measure() && isNative(Element.prototype.getClientRects) && isNative(Element.prototype.getBoundingClientRect);
});
check("there are fonts to write with", () => {
  const width = (font) => {
    const text = document.createElement("span");
    text.style.cssText = `font: 72px ${font}; position: absolute; visibility: hidden`;
    text.textContent = "mmmmmmmmmmlli";
    document.body.append(text);
    const { offsetWidth } = text;
    text.remove();
    return offsetWidth;
  };
  const widths = ["monospace", "serif", "sans-serif"].map(width);
  return new Set(widths).size === 3 || widths.join();
});
