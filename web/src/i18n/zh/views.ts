import type { views as en } from "../en/views";
import type { Same } from "../texts";

export const views: Same<typeof en> = {
  title: "视图",
};
