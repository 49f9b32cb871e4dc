import { console } from "./console";
import { conversation } from "./conversation";
import { errors } from "./errors";
import { files } from "./files";
import { history } from "./history";
import { settings } from "./settings";
import { setup } from "./setup";
import { shell } from "./shell";
import { views } from "./views";

export const en = { console, conversation, errors, files, history, settings, setup, shell, views };
