export const setup = {
  title: "Setup",
};
