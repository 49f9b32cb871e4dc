export const errors = {
  title: "Something went wrong",
  server_gone: "The server cannot be reached.",
  timeout: "The server did not answer in time.",
  server_goneHint: "The page tries again by itself. Is `deskhand serve` still running?",
  rate_limited: "Too many requests at once.",
  waitSeconds: (seconds: number) => `Try again in ${seconds} s.`,
  retry: "Try again",
  crashed: "This part of the page broke down.",
  reload: "Reload the page",
  outdated: "The page was updated meanwhile. Reload it to go on.",
};
