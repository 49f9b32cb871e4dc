// Whether a key belongs to an input method that is still composing. Enter then takes the composed word, and sends nothing.

/** Old code of a key that an input method took, which some browsers give without saying that they compose. */
const TAKEN = 229;

interface KeyPress {
  readonly keyCode: number;
  readonly isComposing?: boolean;
  readonly nativeEvent?: { readonly isComposing: boolean };
}

export function isComposing(event: KeyPress): boolean {
  return event.isComposing === true || event.nativeEvent?.isComposing === true || event.keyCode === TAKEN;
}
