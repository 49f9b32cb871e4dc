export const settings = {
  title: "Settings",
  sections: "Sections of the settings",
  general: "General",
  models: "Models and keys",
  servers: "MCP servers",
  all: "All settings",
  appearance: "Appearance",
  language: "Language",
  theme: "Colours",
  notifications: "Notifications",
  notificationsAbout: "A notification of the browser when something waits for your answer and you look elsewhere.",
  notificationsOn: "On",
  notificationsAllow: "Allow",
  notificationsBlocked: "Blocked in the browser’s settings for this page",
  notificationsNone: "This browser has none",
  server: "This server",
  version: "Version",
  user: "You are",
  owner: "owner",
  here: "at this machine",
  elsewhere: "from another machine: its desktop can only be looked at",
  workspaces: "Workspaces",
  mode: "Mode",
  model: "Model",
  none: "none",
  unavailable: "Not available on this machine",
  unavailableAbout: "These tools lack something here. Everything else works.",
  filter: "Filter settings",
  nothingFound: "No setting has this in its name or description.",
  readOnly: "Only the owner of this installation can change settings.",
  warnings: "What the configuration files say and cannot mean",
  saved: "Saved",
  reset: "Back to the default",
  default: "Default",
  from: {
    default: "default",
    file: "set in the configuration",
    workspace: "set by the workspace",
    environment: "set by the environment",
    flag: "set on the command line",
    other: "set",
  },
  fixed: (source: string) => `Set by ${source}, which wins over what is set here.`,
  on: "On",
  off: "Off",
  listHint: "One per line",
  jsonBad: "This is no valid JSON.",
  save: "Save",
  groups: {
    general: "General",
    audit: "Audit",
    undo: "Undo",
    sandbox: "Confinement of programs",
    shell: "Commands",
    chain: "Limits of one turn",
    providers: "Providers",
    tools: "Single tools",
  } as Record<string, string>,
  options: {
    ask: "Ask – moderate and sensitive calls are asked",
    auto: "Auto – moderate calls run unasked",
    "read-only": "Read only – nothing is changed",
    unattended: "Unattended – nobody to ask",
  } as Record<string, string>,
  /** What a setting does; the server says it in English. */
  about: (_key: string, said: string) => said,
  provider: "Provider",
  usual: "Default model",
  usualAbout: "New conversations talk to it, unless another is chosen there.",
  usualPlaceholder: "PROVIDER/NAME",
  usualNone: "The first one that is found",
  use: "Use",
  providers: "Providers",
  keyFrom: {
    environment: "Key from the environment",
    keyring: "Key in the keyring",
    file: "Key in a file",
  },
  noKey: "No key",
  needsNoKey: "Needs no key",
  noAddress: "No address",
  setKey: "Add a key",
  changeKey: "Change the key",
  removeKey: "Remove",
  removeKeyQuestion: (provider: string) => `Remove the key of ${provider}?`,
  removeKeyText: "Conversations with its models stop working until there is another.",
  cancel: "Cancel",
  key: "Key",
  keyPlaceholder: (provider: string) => `Paste the key of ${provider}`,
  keepIn: "Keep it in",
  keyring: "The keyring of the system",
  file: "A file that only you can read",
  noKeyring: "There is no keyring here:",
  address: "Address",
  addressHint: "Where the server listens. The path of the API is often /v1.",
  changeAddress: "Change",
  keyStored: "Stored; type another to replace it",
  keyOptional: "Leave empty if the server needs none",
  getKey: (provider: string) => `Get a key from ${provider}`,
  useStoredKey: (host: string) => `Send the stored key to ${host}, too`,
  modelName: "Model",
  modelSearch: "Search the list or type a name",
  modelType: "Type the name of the model",
  modelsLoading: "Loading the list of models…",
  modelsFound: (count: number) => (count === 1 ? "1 model available" : `${count} models available`),
  modelsReload: "Load the list again",
  modelsNone: "The list of models is not available. You can type the name of a model.",
  testAndSave: "Test and save",
  saveAnyway: "Save anyway",
  savedWith: "Saved, but note:",
  makeDefault: (model: string) => `Make ${model} the default model`,
  setUp: "Set up",
  test: "Test",
  testing: "Asking the model…",
  works: (milliseconds: string) => `It answers, in ${milliseconds} ms.`,
  /** What is wrong; who, where and which model are filled in. */
  problems: {
    bad_address: () => "This address cannot be used.",
    no_server: ({ host }) => `No server is running at ${host}.`,
    not_running: ({ title, host }) => `${title} is not running at ${host}.`,
    name_not_found: ({ host }) => `The name ${host} was not found.`,
    no_network: ({ host }) => `${host} cannot be reached: there seems to be no network connection.`,
    tls: ({ host }) => `Cannot connect securely to ${host}.`,
    timed_out: ({ host }) => `${host} did not answer in time.`,
    broke_off: ({ host }) => `${host} closed the connection without an answer.`,
    not_compatible: ({ host }) => `${host} answers, but not as an OpenAI-compatible server.`,
    moved: ({ host }) => `${host} redirects to another address.`,
    no_key: ({ host }) => `${host} requires an API key.`,
    wrong_key: () => "The key was refused.",
    not_allowed: ({ host }) => `${host} does not allow this request.`,
    key_held_back: ({ host }) =>
      `The stored key was entered for another address, so it was not sent to ${host}.`,
    no_credit: () => "The account has no credit left.",
    rate_limited: ({ host }) => `Too many requests to ${host}.`,
    no_such_model: ({ host, model }) => `${host} has no model “${model}”.`,
    no_models: ({ title }) => `${title} has no model yet.`,
    server_error: ({ host }) => `${host} reported a server error.`,
    refused: ({ host }) => `${host} refused the request.`,
    other: () => "The test failed.",
  } as Record<ProblemName, (about: Subject) => string>,
  problemHints: {
    bad_address: "An address looks like this: http://127.0.0.1:8080/v1",
    no_server: "Check the address and its port, or start the server.",
    not_running: "Start it, then try again.",
    name_not_found: "Check the spelling of the address and your network connection.",
    no_network: "Check your network connection, VPN and proxy.",
    tls: "Check whether the address begins with http:// or https://, and the server’s certificate.",
    timed_out: "Try again: a model may have to be loaded first.",
    broke_off: "Try again. If it happens again, look at the log of the server.",
    not_compatible: "Check the address. The path of the API is often /v1.",
    moved: "Use the address that really answers.",
    no_key: "Enter a key for this server.",
    wrong_key: "Check that the whole key was pasted and that it is for this address.",
    not_allowed: "The account, the model or your region may not be allowed.",
    key_held_back: "Enter a key for this address, or allow the stored one to be sent there.",
    no_credit: "Top up the account at the provider, or use another key.",
    rate_limited: "Try again in a minute.",
    no_such_model: "Choose one from the list.",
    no_models: "Load a model there first.",
    server_error: "The problem is at the provider. Try again later.",
    refused: "The answer below says why.",
    other: "The message below says why.",
  },
  runThis: "Run this in a terminal:",
  details: (message: string) => `Details: ${message}`,
  providerSaid: (host: string, said: string) => `${host} answered: “${said}”`,
};

/** What can be wrong with a model, as the server names it; `not_running` is a local server that `no_server` is about. */
type ProblemName =
  | "bad_address"
  | "no_server"
  | "not_running"
  | "name_not_found"
  | "no_network"
  | "tls"
  | "timed_out"
  | "broke_off"
  | "not_compatible"
  | "moved"
  | "no_key"
  | "wrong_key"
  | "not_allowed"
  | "key_held_back"
  | "no_credit"
  | "rate_limited"
  | "no_such_model"
  | "no_models"
  | "server_error"
  | "refused"
  | "other";

interface Subject {
  title: string;
  host: string;
  model: string;
}
