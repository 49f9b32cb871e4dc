export const console = {
  title: "Console",
};
