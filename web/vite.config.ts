import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.DESKHAND_SERVER ?? "http://127.0.0.1:8787";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    manifest: true,
    // Data addresses would need a wider content policy than the page has.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: {
    proxy: {
      "/api": { target: server, ws: true },
      "/healthz": server,
      "/v1": server,
    },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    // A machine that does other things beside is slow, not wrong.
    testTimeout: 30_000,
    // By default one core is left idle, which on two is half of them.
    maxWorkers: "100%",
  },
});
