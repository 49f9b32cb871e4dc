import type { setup as en } from "../en/setup";
import type { Same } from "../texts";

export const setup: Same<typeof en> = {
  title: "初始设置",
};
