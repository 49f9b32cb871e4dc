import type { files as en } from "../en/files";
import type { Same } from "../texts";

export const files: Same<typeof en> = {
  title: "文件",
};
