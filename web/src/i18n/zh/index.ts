import type { Texts } from "../texts";
import { console } from "./console";
import { conversation } from "./conversation";
import { errors } from "./errors";
import { files } from "./files";
import { history } from "./history";
import { settings } from "./settings";
import { setup } from "./setup";
import { shell } from "./shell";
import { views } from "./views";

export const zh: Texts = { console, conversation, errors, files, history, settings, setup, shell, views };
