// A screen for a server that is tested: an X server of its own, which ends with the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Display {
  /** `:7` */
  name: string;
  stop: () => Promise<void>;
}

export async function startDisplay(): Promise<Display> {
  const child = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const failed = once(child, "error").then(([error]) => Promise.reject(error as Error));
  const [number] = (await Promise.race([once(createInterface(child.stdout), "line"), failed])) as [string];
  const gone = once(child, "exit");
  return {
    name: `:${number.trim()}`,
    stop: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
