export const views = {
  title: "Views",
};
