// The conversation as a person uses it.
import { expect, type Locator, type Page } from "@playwright/test";

import type { Server } from "./server";

export const sender = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });

/** Writes and sends, by the button. */
export async function say(page: Page, text: string): Promise<void> {
  await sender(page).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(said(page).last()).toContainText(text);
}

/** What the person said. */
export const said = (page: Page): Locator => page.getByRole("article", { name: "You" });

/** What was answered. */
export const answers = (page: Page): Locator => page.getByRole("article", { name: "Deskhand" });

/** The last answer is whole. */
export async function answered(page: Page, text: string | RegExp): Promise<void> {
  await expect(answers(page).last()).toContainText(text);
  await expect(answers(page).last()).toHaveAttribute("aria-busy", "false");
}

/** The question that waits in the conversation. */
export const question = (page: Page): Locator => page.getByRole("region", { name: /waits for your answer$/ });

/** Of the conversation that is open. */
export function sessionId(page: Page): string {
  return new URL(page.url()).pathname.split("/")[2] ?? "";
}

export interface Message {
  id: number;
  role: string;
  content: string;
  metadata: { outcome?: string };
  execution_steps?: unknown[];
}

export async function messages(server: Server, id: string): Promise<Message[]> {
  return (await server.json<{ messages: Message[] }>("GET", `/api/v1/sessions/${id}/messages`)).messages;
}

/** How often a text stands in another. */
export const times = (text: string, part: string): number => text.split(part).length - 1;
