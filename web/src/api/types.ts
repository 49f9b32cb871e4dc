// The shapes on the wire, as the server writes them. Names and tags are those of the Rust types.
export * from "./types/session";
export * from "./types/call";
export * from "./types/approval";
export * from "./types/event";
export * from "./types/surface";
export * from "./types/servers";
