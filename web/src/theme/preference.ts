// Light, dark, or as the system has it: the choice is kept, the result stands on <html data-theme>.
import { useSyncExternalStore } from "react";

export type ThemePreference = "light" | "dark" | "system";
export type ThemeName = "light" | "dark";

const KEPT = "deskhand.theme";
const listeners = new Set<() => void>();
const systemDark = () => window.matchMedia("(prefers-color-scheme: dark)");

export function themePreference(): ThemePreference {
  const kept = localStorage.getItem(KEPT);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function themeName(): ThemeName {
  const preference = themePreference();
  if (preference !== "system") return preference;
  return systemDark().matches ? "dark" : "light";
}

export function setThemePreference(preference: ThemePreference): void {
  localStorage.setItem(KEPT, preference);
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const media = systemDark();
  media.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    media.removeEventListener("change", listener);
  };
}

export function useThemePreference(): ThemePreference {
  return useSyncExternalStore(subscribe, themePreference);
}

export function useThemeName(): ThemeName {
  return useSyncExternalStore(subscribe, themeName);
}
