// Where in the page we are: routes behind the #, so that the server needs to know none of them.
import { useSyncExternalStore } from "react";

export type Route =
  | { name: "home" }
  | { name: "session"; id: string; message?: number }
  | { name: "tools"; tool?: string }
  | { name: "view"; view: string }
  | { name: "settings"; section?: string }
  | { name: "setup" }
  | { name: "api-docs" };

const part = encodeURIComponent;

export function toPath(route: Route): string {
  switch (route.name) {
    case "home":
      return "/";
    case "session":
      return `/s/${part(route.id)}${route.message === undefined ? "" : `?message=${route.message}`}`;
    case "tools":
      return route.tool === undefined ? "/tools" : `/tools/${part(route.tool)}`;
    case "view":
      return `/views/${part(route.view)}`;
    case "settings":
      return route.section === undefined ? "/settings" : `/settings/${part(route.section)}`;
    case "setup":
      return "/setup";
    case "api-docs":
      return "/api-docs";
  }
}

/** Whatever is no route is home. */
export function parsePath(text: string): Route {
  const [path = "", query = ""] = text.replace(/^#/, "").split("?");
  const parts = path.split("/").filter((piece) => piece !== "");
  const [first, second] = parts.map(decode);
  switch (first) {
    case "s": {
      if (second === undefined) return { name: "home" };
      const message = Number(new URLSearchParams(query).get("message") ?? "");
      return { name: "session", id: second, ...(message > 0 ? { message } : {}) };
    }
    case "tools":
      return { name: "tools", ...(second === undefined ? {} : { tool: second }) };
    case "views":
      return second === undefined ? { name: "home" } : { name: "view", view: second };
    case "settings":
      return { name: "settings", ...(second === undefined ? {} : { section: second }) };
    case "setup":
    case "api-docs":
      return { name: first };
    default:
      return { name: "home" };
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** For the href of a link. */
export function href(route: Route): string {
  return `#${toPath(route)}`;
}

export function navigate(route: Route, options: { replace?: boolean } = {}): void {
  const target = href(route);
  if (window.location.hash === target) return;
  if (options.replace) {
    window.history.replaceState(null, "", target);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    window.location.hash = target;
  }
}

let known: { hash: string; route: Route } = { hash: "\0", route: { name: "home" } };

/** The same object as long as the address is the same. */
export function currentRoute(): Route {
  const { hash } = window.location;
  if (known.hash !== hash) known = { hash, route: parsePath(hash) };
  return known.route;
}

export function useRoute(): Route {
  return useSyncExternalStore((listener) => {
    window.addEventListener("hashchange", listener);
    return () => window.removeEventListener("hashchange", listener);
  }, currentRoute);
}
