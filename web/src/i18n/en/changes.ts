// The texts of what a command changed.
const counted = (count: number) => count.toLocaleString("en");
const files = (count: number) => (count === 1 ? "1 file" : `${counted(count)} files`);

export const changes = {
  question: "Keep these changes?",
  hint: "The command has run. Your files stay as they are until you keep its changes.",
  expiresHint: "Without an answer in this time, the changes are discarded.",
  keys: "Press Esc, then K or D.",
  keep: "Keep",
  discard: "Discard…",
  discardNow: "Discard",
  remember: "Keep and remember…",
  keepAndRemember: "Keep and remember",
  once: "“Keep” covers these changes and nothing else.",
  list: "Changed files",
  none: "No changes",
  kinds: { created: "Created", modified: "Modified", deleted: "Deleted", moved: "Moved", mode: "Permissions changed" },
  types: { file: "file", folder: "folder", link: "link", special: "special file" },
  files,
  was: (type: string) => `was a ${type}`,
  mode: (before: string, after: string) => `permissions ${before} → ${after}`,
  runsLater: (why: string) => `Runs later: ${why}`,
  ignored: (path: string, count: number, size: string) => `${path}: ${files(count)}, ${size}, ignored by Git`,
  ignoredDeleted: (path: string, count: number, size: string) => `${path}: ${files(count)}, ${size} deleted, ignored by Git`,
  more: (count: number) => `and ${counted(count)} more`,
  totals: {
    created: (count: number) => `${counted(count)} created`,
    modified: (count: number) => `${counted(count)} modified`,
    deleted: (count: number) => `${counted(count)} deleted`,
    moved: (count: number) => `${counted(count)} moved`,
    mode: (count: number) => `${counted(count)} with new permissions`,
    bytes: (size: string) => `${size} written`,
    deletedBytes: (size: string) => `${size} deleted`,
  },
  kept: (count: number) => `${files(count)} changed, kept`,
  discarded: (count: number) => `${files(count)} changed, discarded`,
  status: "Discarded",
  said: {
    yes: (by: string) => `Kept by ${by}.`,
    no: (by: string) => `Discarded by ${by}.`,
  },
};
