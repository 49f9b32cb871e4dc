// The browser of the system; none is downloaded.
import { execFileSync } from "node:child_process";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

function find(): string {
  const named = process.env.CHROMIUM;
  if (named !== undefined && named !== "") return named;
  for (const name of NAMES) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next name is tried.
    }
  }
  throw new Error("There is no Chromium here. Install the package chromium, or name one in CHROMIUM.");
}

export const CHROMIUM = {
  executablePath: find(),
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
