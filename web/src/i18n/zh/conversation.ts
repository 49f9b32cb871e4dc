import type { conversation as en } from "../en/conversation";
import type { Same } from "../texts";

export const conversation: Same<typeof en> = {
  title: "对话",
};
