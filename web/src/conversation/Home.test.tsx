import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { currentRoute } from "../router";
import { Refusal, serve, show } from "../test/page";
import { Home } from "./Home";
import { readDraft } from "./sender/draft";

afterEach(() => vi.unstubAllGlobals());

let refusal: Refusal | null;

async function open() {
  const log = serve({
    "GET about": () => ({
      model: null,
      mode: "ask",
      modes: ["ask", "auto", "read-only"],
      workspaces: ["/w/one", "/w/two"],
      user: { name: "owner", owner: true },
      limits: { upload_bytes: 100, message_bytes: 100 },
    }),
    "GET models": () => ({ usual: null, models: [], providers: [], keyring: { available: true } }),
    "POST sessions": () => ({ id: "n1" }),
    "POST sessions/n1/messages": () => refusal ?? { session_id: "n1" },
    "DELETE sessions/n1": () => ({ success: true }),
  });
  await show(<Home />);
  const input = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.change(input, { target: { value: "Do it" } });
  fireEvent.keyDown(input, { key: "Enter" });
  return { log, input };
}

test.each([
  ["no model", "model_no_such_model", "This model cannot be used", "Set up a model", "/setup"],
  ["a refused key", "model_auth", "The provider refused the key", "Models and keys", "/settings/models"],
  ["an overloaded model", "model_server", "The model cannot be reached or is overloaded", null, null],
  ["a broken server", "broken", "The disk is full.", null, null],
])("with %s the text stays and the page says what to do", async (_, code, title, link, target) => {
  refusal = new Refusal(409, code, "The disk is full.");
  const { log, input } = await open();
  const alert = (await screen.findByText(title)).closest<HTMLElement>("[role=alert]");
  expect(alert).not.toBeNull();
  if (link !== null) expect(alert?.querySelector(`a[href="${target}"]`)?.textContent).toBe(link);
  expect(input.value).toBe("Do it");
  expect(readDraft(undefined)).toBe("Do it");
  expect(readDraft("n1")).toBe("");
  expect(currentRoute().name).toBe("home");
  expect(log.filter(({ method }) => method === "DELETE").map(({ path, query }) => [path, query.get("soft")])).toEqual([["sessions/n1", null]]);
});

test("it can be tried again from where it failed", async () => {
  refusal = new Refusal(409, "model_server", "Overloaded.");
  const { log } = await open();
  const again = await screen.findByRole("button", { name: "Try again" });
  refusal = null;
  fireEvent.click(again);
  await waitFor(() => expect(currentRoute()).toMatchObject({ name: "session", id: "n1" }));
  expect(log.filter(({ path }) => path === "sessions/n1/messages").map(({ body }) => body)).toEqual([{ content: "Do it" }, { content: "Do it" }]);
  expect(readDraft(undefined)).toBe("");
});
