// The special views, in the order in which the sidebar lists them.
export const VIEWS = ["windows", "screenshots", "vitals", "processes", "search", "jobs"] as const;
export const OVERSIGHT = ["approvals", "undo", "audit", "grants"] as const;

export type ViewName = (typeof VIEWS)[number] | (typeof OVERSIGHT)[number];
