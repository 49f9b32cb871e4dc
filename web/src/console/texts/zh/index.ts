export { call } from "./call";
export { docs } from "./docs";
export { form } from "./form";
export { oversight } from "./oversight";
export { tools } from "./tools";
export { views } from "./views";
