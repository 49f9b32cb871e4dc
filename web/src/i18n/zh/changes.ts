import type { changes as en } from "../en/changes";
import type { Same } from "../texts";

const counted = (count: number) => count.toLocaleString("en");
const files = (count: number) => `${counted(count)} 个文件`;

/** The reasons as the server gives them. What stands in none of these is shown as it came. */
const REASONS: [RegExp, string][] = [
  [/^CI runs what it says$/, "持续集成会执行其内容"],
  [/^an editor or a tool runs what it says$/, "编辑器或开发工具会执行其内容"],
  [/^Git hooks run what it says$/, "Git 钩子会执行其内容"],
  [/^coding agents follow it$/, "编程助手会遵照其内容"],
  [/^a shell runs it on entering the folder$/, "进入该文件夹时 shell 会执行它"],
  [/^it configures Deskhand$/, "它是 Deskhand 的配置"],
  [/^Git runs (?:it|what is in it)$/, "Git 会执行它"],
  [/^Git takes hooks and config from where it says$/, "Git 会从它指向的位置读取钩子和配置"],
  [/^it says where Git fetches from and pushes to$/, "它决定 Git 从哪里拉取、向哪里推送"],
  [/^Git takes objects from where it says$/, "Git 会从它指向的位置读取对象"],
  [/^Git takes hooks or settings from it$/, "Git 会从中读取钩子或设置"],
  [/^it can name programs that Git runs$/, "它可以指定 Git 要运行的程序"],
  [/^it changes (.+) in Git's config$/, "它更改了 Git 配置中的 $1"],
];

function inChinese(why: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(why));
  return known ? why.replace(known[0], known[1]) : why;
}

export const changes: Same<typeof en> = {
  question: "保留这些更改吗？",
  hint: "命令已执行。在您选择保留之前，您的文件不会有任何变化。",
  expiresHint: "在此时间内没有答复，更改将被丢弃。",
  keys: "按 Esc 后，可按 K 保留或 D 丢弃。",
  keep: "保留",
  discard: "丢弃…",
  discardNow: "丢弃",
  remember: "保留并记住…",
  keepAndRemember: "保留并记住",
  once: "“保留”只对这些更改有效。",
  list: "更改的文件",
  none: "没有更改",
  kinds: { created: "新建", modified: "修改", deleted: "删除", moved: "移动", mode: "权限更改" },
  types: { file: "文件", folder: "文件夹", link: "链接", special: "特殊文件" },
  files,
  was: (type) => `原为${type}`,
  mode: (before, after) => `权限 ${before} → ${after}`,
  runsLater: (why) => `以后会自动运行：${inChinese(why)}`,
  ignored: (path, count, size) => `${path}：${files(count)}，${size}，被 Git 忽略`,
  ignoredDeleted: (path, count, size) => `${path}：已删除 ${files(count)}，${size}，被 Git 忽略`,
  more: (count) => `另有 ${counted(count)} 项`,
  totals: {
    created: (count) => `新建 ${counted(count)}`,
    modified: (count) => `修改 ${counted(count)}`,
    deleted: (count) => `删除 ${counted(count)}`,
    moved: (count) => `移动 ${counted(count)}`,
    mode: (count) => `更改权限 ${counted(count)}`,
    bytes: (size) => `写入 ${size}`,
    deletedBytes: (size) => `删除 ${size}`,
  },
  kept: (count) => `${files(count)}的更改已保留`,
  discarded: (count) => `${files(count)}的更改已丢弃`,
  status: "已丢弃",
  said: {
    yes: (by) => `${by}已保留更改。`,
    no: (by) => `${by}已丢弃更改。`,
  },
};
