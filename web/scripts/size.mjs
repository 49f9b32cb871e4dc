// Sums the compressed JavaScript of the first load: the entry, all that it imports statically, and the lazy parts that
// every first load of the chat view asks for at once. Fails above the limit.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LIMIT = 400 * 1024;
/** Chunks that are imported lazily and belong to the first load all the same. */
const FIRST_LOAD = [
  "index.html",
  "src/conversation/ConversationView.tsx",
  "src/i18n/zh/index.ts",
  "node_modules/antd/es/locale/zh_CN.js",
];

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));

const wanted = new Set();
const visit = (key) => {
  if (wanted.has(key) || !manifest[key]) return;
  wanted.add(key);
  for (const next of manifest[key].imports ?? []) visit(next);
};
FIRST_LOAD.forEach(visit);

const files = [...new Set([...wanted].map((key) => manifest[key].file))].filter((file) => file.endsWith(".js"));
let total = 0;
for (const file of files) {
  const size = statSync(join(dist, `${file}.br`)).size;
  total += size;
  console.log(`${(size / 1024).toFixed(1).padStart(8)} KB  ${file}`);
}
console.log(`${(total / 1024).toFixed(1).padStart(8)} KB  first load, limit ${LIMIT / 1024} KB`);
if (files.length === 0 || total > LIMIT) {
  console.error("The first load is too large (or was not found). Load more of it lazily.");
  process.exit(1);
}
