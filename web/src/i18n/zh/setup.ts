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
  other: "其他",
  ready: "就绪",
  setUp: (provider) => `设置 ${provider}`,
  pasteKeyHint: "密钥只发送给该服务商，绝不会出现在日志中。",
  localHint: "请先启动服务，然后测试。测试通过后才会保存。",
  customHint: "任何兼容 OpenAI 接口的服务：填写地址，需要时填写密钥。",
  custom: "自定义 OpenAI 兼容服务",
  testAndGo: "开始对话",
  tryDemo: "先看演示",
  demoAbout: "脚本模型，真实工具：两分钟，无需密钥。",
  without: "不使用模型",
  withoutAbout: "所有工具都可以在工具台中手动使用。",
  back: "选择其他服务商",
  allProviders: "全部服务商",
  notOwner: "只有此安装的所有者才能设置模型。",
};
