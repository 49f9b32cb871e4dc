// The model that a provider is talked to with, where none is named.
import type { Provider } from "../../api/types";

/** As `PROVIDER/NAME`; the server says the name as the provider knows it. */
export function usualModelOf({ name, default_model: model }: Pick<Provider, "name" | "default_model">): string {
  return model === null ? name : `${name}/${model}`;
}
