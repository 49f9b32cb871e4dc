// Where in the page we are. The server answers every address of a view with the page; which one it is, is told here.
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
  const [path = "", query = ""] = (text.split("#")[0] ?? "").split("?");
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
  return toPath(route);
}

const listeners = new Set<() => void>();

export function navigate(route: Route, options: { replace?: boolean } = {}): void {
  const target = toPath(route);
  const { pathname, search } = window.location;
  if (pathname + search === target) return;
  if (options.replace) window.history.replaceState(null, "", target);
  else window.history.pushState(null, "", target);
  listeners.forEach((listener) => listener());
}

let known: { address: string; route: Route } = { address: "", route: { name: "home" } };

/** The same object as long as the address is the same. */
export function currentRoute(): Route {
  const address = window.location.pathname + window.location.search;
  if (known.address !== address) known = { address, route: parsePath(address) };
  return known.route;
}

export function useRoute(): Route {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    window.addEventListener("popstate", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("popstate", listener);
    };
  }, currentRoute);
}

const OURS = /^\/($|s\/|tools|views\/|settings|setup|api-docs)/;

/** Makes plain clicks on links to our routes steps within the page. Returns how to stop. */
export function followLinks(): () => void {
  const onClick = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    const { origin, pathname, search, hash } = new URL(link.href, window.location.href);
    if (origin !== window.location.origin || hash !== "" || !OURS.test(pathname)) return;
    event.preventDefault();
    navigate(parsePath(pathname + search));
  };
  document.addEventListener("click", onClick);
  return () => document.removeEventListener("click", onClick);
}
