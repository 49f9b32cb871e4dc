import type { console as en } from "../en/console";
import type { Same } from "../texts";

export const console: Same<typeof en> = {
  title: "工具",
};
