// Bytes for people, the same in every language.
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

export function bytesText(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // 1023.96 KB would be written as 1024 KB.
  while (value >= (unit === 0 ? 1024 : 1023.5) && unit + 1 < UNITS.length) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, "")} ${UNITS[unit] ?? ""}`;
}
