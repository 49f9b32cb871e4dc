// What a provider is called. Only the custom server has no name of its own.
import type { Provider } from "../../api/types";
import type { Texts } from "../../i18n";

export function titleOf({ name, title }: Pick<Provider, "name" | "title">, text: Texts): string {
  return name === "custom" ? text.setup.custom : title;
}
