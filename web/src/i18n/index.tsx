// The language of the page: chosen by the browser, switchable, kept. `useText()` gives all texts, typed.
import type { Locale } from "antd/es/locale";
import enUS from "antd/es/locale/en_US";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";

import type { Language, Texts } from "./texts";

export type { Language, Texts } from "./texts";
export { LANGUAGES } from "./texts";

export interface Loaded {
  language: Language;
  texts: Texts;
  antd: Locale;
}

const KEPT = "deskhand.language";

/** The kept choice, else the first language of the browser that we have, else English. */
export function firstLanguage(wanted: readonly string[] = navigator.languages, kept = readKept()): Language {
  if (kept !== null) return kept;
  for (const tag of wanted) {
    const name = tag.toLowerCase().split("-")[0];
    if (name === "zh" || name === "en") return name;
  }
  return "en";
}

function readKept(): Language | null {
  const kept = localStorage.getItem(KEPT);
  return kept === "en" || kept === "zh" ? kept : null;
}

export async function loadLanguage(language: Language): Promise<Loaded> {
  if (language === "zh") {
    const [{ zh }, antd] = await Promise.all([import("./zh"), import("antd/es/locale/zh_CN")]);
    return { language, texts: zh, antd: antd.default };
  }
  const { en } = await import("./en");
  // antd has its English on board anyway.
  return { language, texts: en, antd: enUS };
}

interface Held extends Loaded {
  setLanguage: (language: Language) => void;
}

const Context = createContext<Held | null>(null);

export function LanguageProvider({ first, children }: { first: Loaded; children: ReactNode }) {
  const [loaded, setLoaded] = useState(first);
  const setLanguage = useCallback((language: Language) => {
    localStorage.setItem(KEPT, language);
    void loadLanguage(language).then(setLoaded);
  }, []);
  useEffect(() => {
    document.documentElement.lang = loaded.language === "zh" ? "zh-CN" : "en";
  }, [loaded]);
  const held = useMemo(() => ({ ...loaded, setLanguage }), [loaded, setLanguage]);
  return <Context value={held}>{children}</Context>;
}

export function useLanguage(): Held {
  const held = use(Context);
  if (held === null) throw new Error("useLanguage outside LanguageProvider");
  return held;
}

export function useText(): Texts {
  return useLanguage().texts;
}
