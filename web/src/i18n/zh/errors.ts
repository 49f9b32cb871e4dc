import type { errors as en } from "../en/errors";
import type { Same } from "../texts";

export const errors: Same<typeof en> = {
  title: "出了点问题",
  server_gone: "无法连接服务器。",
  timeout: "服务器没有及时响应。",
  server_goneHint: "页面会自动重试。`deskhand serve` 还在运行吗？",
  rate_limited: "请求过于频繁。",
  waitSeconds: (seconds) => `请在 ${seconds} 秒后重试。`,
  retry: "重试",
  crashed: "页面的这一部分出错了。",
  reload: "重新加载页面",
  outdated: "页面已更新，请重新加载后继续。",
};
