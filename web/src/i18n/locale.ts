// How dates and numbers are written in a language of the page, whatever the browser's own language is.
import { type Language, LANGUAGES } from "./texts";

export function locale(language: Language): string {
  return LANGUAGES.find(({ id }) => id === language)?.tag ?? "en";
}
