// A conversation that uses a web page: what is asked, what the person sees before the model does.
import { answered, question, say } from "./chat";
import { calls, says } from "./script";
import { Shop } from "./shop";
import { expect, test } from "./test";

test("a page is visited, a form is filled in, and sent only after a yes", async ({ open, page }) => {
  const shop = await Shop.open();
  try {
    await open({
      mode: "auto",
      config: `[network]\nallow = ["${shop.host}"]\n`,
      talk: {
        order: [
          calls("browser_navigate", { url: shop.url }),
          calls("browser_snapshot", {}, { expect: "A small shop" }),
          calls("browser_type", { selector: "input", text: "cheese" }, { expect: "cheese, 7.90" }),
          calls("browser_click", { selector: "button" }),
          says("It is ordered."),
        ],
      },
    });
    await say(page, `order some cheese at ${shop.url}`);
    await expect(question(page)).toContainText("May browser_click run?");
    await expect(question(page)).toContainText("127.0.0.1");
    expect(shop.orders).toEqual([]);
    await question(page).getByRole("button", { name: "Allow once" }).click();
    await answered(page, "It is ordered.");
    expect(shop.orders).toEqual(["cheese"]);
  } finally {
    await shop.close();
  }
});

test("a picture of a page is seen by the person first, and kept from the model by a no", async ({ open, page }) => {
  const shop = await Shop.open();
  try {
    await open({
      mode: "auto",
      config: `[network]\nallow = ["${shop.host}"]\n[tools.browser_screenshot]\nrequires_result_approval = true\n`,
      talk: {
        look: [
          calls("browser_navigate", { url: shop.url }),
          calls("browser_screenshot", {}),
          says("Then I go without."),
        ],
      },
    });
    await say(page, `have a look at ${shop.url}`);
    await expect(question(page)).toContainText("May the model see this result of browser_screenshot?");
    const picture = question(page).getByRole("img").first();
    await expect(picture).toBeVisible();
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(300);
    await question(page).getByRole("button", { name: /^Withhold…/ }).click();
    await question(page).getByRole("button", { name: "Withhold", exact: true }).click();
    await answered(page, "Then I go without.");
  } finally {
    await shop.close();
  }
});
