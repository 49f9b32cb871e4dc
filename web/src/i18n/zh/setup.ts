import type { setup as en } from "../en/setup";
import type { Same } from "../texts";

export const setup: Same<typeof en> = {
  title: "设置 Deskhand",
  welcome: "欢迎使用 Deskhand",
  intro: "Deskhand 在这台电脑上为您做事：文件、程序、窗口、网络。您能看到它将要做什么，重要的事不经您同意不会发生。",
  chooseProvider: "由哪个模型为您思考？",
  chooseHint: "以后可随时在设置中更改。",
  withKey: "云端",
  local: "本机",
  ready: "就绪",
  pasteKey: (provider) => `${provider} 的密钥`,
  pasteKeyHint: "密钥只发送给该提供商，绝不会出现在日志中。",
  localHint: "请先在本机启动该提供商的服务器，然后测试。",
  model: "模型",
  testAndGo: "开始对话",
  tryDemo: "先看演示",
  demoAbout: "脚本模型，真实工具：两分钟，无需密钥。",
  without: "不使用模型",
  withoutAbout: "所有工具都可以在工具控制台中手动使用。",
  back: "选择其他提供商",
  allProviders: "全部提供商",
  notOwner: "只有此安装的所有者才能设置模型。",
};
