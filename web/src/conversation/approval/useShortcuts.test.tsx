import { act, render } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { useShortcuts } from "./useShortcuts";

let answered: string[] = [];
let listeners: ((event: KeyboardEvent) => void)[] = [];
let places: Record<string, DOMRect> = {};
const scrolled = vi.fn();
const IN_VIEW = new DOMRect(0, 100, 600, 300);

function Card({ id }: { id: string }) {
  const [open, setOpen] = useState(true);
  const answer = () => {
    answered.push(id);
    setOpen(false);
  };
  useShortcuts(id, { a: answer }, open);
  return <section data-approval={id} />;
}

beforeEach(() => {
  answered = [];
  listeners = [];
  places = {};
  vi.useFakeTimers();
  const listen = window.addEventListener.bind(window);
  vi.spyOn(window, "addEventListener").mockImplementation((name: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions) => {
    if (name === "keydown" && typeof listener === "function") listeners.push(listener);
    if (listener !== null) listen(name, listener, options);
  });
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    return places[this.dataset.approval ?? ""] ?? IN_VIEW;
  });
  scrolled.mockReset();
  Element.prototype.scrollIntoView = scrolled;
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** As a browser does for a key that is really pressed: between two listeners of one event React draws what has changed. */
function press(key: string): void {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  for (const listener of [...listeners]) act(() => listener(event));
}

const later = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

test("one press answers one question, the next one has its own first moment", () => {
  render(<><Card id="one" /><Card id="two" /><Card id="three" /></>);
  later(1000);
  press("a");
  expect(answered).toEqual(["one"]);
  later(500);
  press("a");
  expect(answered).toEqual(["one"]);
  later(200);
  press("a");
  expect(answered).toEqual(["one", "two"]);
});

test("an event goes to one question only", () => {
  render(<><Card id="one" /><Card id="two" /></>);
  later(1000);
  const heard = vi.fn();
  window.addEventListener("keydown", heard);
  // Outside of act: what the listeners do is drawn whenever React wants.
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true }));
  window.removeEventListener("keydown", heard);
  expect(answered).toEqual(["one"]);
  expect(heard).not.toHaveBeenCalled();
  later(0);
});

test.each([
  ["below the view", new DOMRect(0, 2000, 600, 300)],
  ["above the view", new DOMRect(0, -500, 600, 300)],
  ["only its edge is seen", new DOMRect(0, 600, 600, 300)],
  ["taller than the view and hardly in it", new DOMRect(0, 600, 600, 3000)],
  ["not laid out", new DOMRect(0, 0, 0, 0)],
])("a question that is out of sight is brought into view, not answered: %s", (_, place) => {
  places = { one: place };
  render(<Card id="one" />);
  later(1000);
  press("a");
  expect(answered).toEqual([]);
  expect(scrolled).toHaveBeenCalledTimes(1);
  places = {};
  later(500);
  press("a");
  expect(answered).toEqual([]);
  later(200);
  press("a");
  expect(answered).toEqual(["one"]);
});

test("one that is taller than the view is answered while it fills the view", () => {
  places = { one: new DOMRect(0, -200, 600, 3000) };
  render(<Card id="one" />);
  later(1000);
  press("a");
  expect(answered).toEqual(["one"]);
});
