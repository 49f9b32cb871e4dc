import type { settings as en } from "../en/settings";
import type { Same } from "../texts";

export const settings: Same<typeof en> = {
  title: "设置",
};
