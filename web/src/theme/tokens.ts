// The look: colours, sizes and shapes for antd. The same colours stand as CSS variables in theme.css.
import { theme, type ThemeConfig } from "antd";

import type { Motion } from "./motion";
import type { ThemeName } from "./preference";

const font =
  'Inter, "Segoe UI", system-ui, -apple-system, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif';
const mono = 'ui-monospace, "JetBrains Mono", "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace';

const colours = {
  light: {
    colorPrimary: "#0f766e",
    colorInfo: "#0f766e",
    colorLink: "#0f766e",
    colorSuccess: "#15803d",
    colorWarning: "#b45309",
    colorError: "#b91c1c",
    colorWarningBg: "#fdf6e3",
    colorWarningBorder: "#f0d9a4",
    colorErrorBg: "#fdf0f0",
    colorErrorBorder: "#f3c8c8",
    colorInfoBg: "#eef6f4",
    colorInfoBorder: "#bfdcd7",
    colorSuccessBg: "#eff8f1",
    colorSuccessBorder: "#bfe0c8",
    colorTextBase: "#1c1f23",
    colorTextSecondary: "#565d66",
    colorTextTertiary: "#646b75",
    colorTextPlaceholder: "#6b727c",
    colorBgLayout: "#f6f6f4",
    colorBgContainer: "#ffffff",
    colorBorder: "#d9dbd8",
    colorBorderSecondary: "#e8e9e6",
  },
  dark: {
    colorPrimary: "#2ba89b",
    colorInfo: "#2ba89b",
    colorLink: "#5cc9bd",
    colorSuccess: "#4ade80",
    colorWarning: "#f0b04f",
    colorError: "#f87171",
    colorWarningBg: "#2b2412",
    colorWarningBorder: "#55431a",
    colorInfoBg: "#142826",
    colorInfoBorder: "#245049",
    colorTextBase: "#e6e8ea",
    colorTextSecondary: "#a9b0b8",
    colorTextTertiary: "#98a0a9",
    colorTextPlaceholder: "#8b939c",
    colorBgLayout: "#121416",
    colorBgContainer: "#1a1d20",
    colorBgElevated: "#22262a",
    colorBorder: "#363b41",
    colorBorderSecondary: "#292d32",
  },
} as const;

/** Where a colour that is derived from the ones above would be too close to what it stands on. */
const readable = {
  light: { Button: {}, Dropdown: {} },
  dark: {
    Button: {
      colorPrimary: "#1f7d73",
      colorPrimaryHover: "#20837a",
      colorPrimaryActive: "#1a6b62",
      defaultHoverColor: "#5cc9bd",
      defaultHoverBorderColor: "#5cc9bd",
      defaultActiveColor: "#5cc9bd",
      defaultActiveBorderColor: "#5cc9bd",
    },
    Dropdown: { colorError: "#f87171" },
  },
} as const;

export function antdTheme(name: ThemeName, motion: Motion): ThemeConfig {
  return {
    algorithm: name === "dark" ? theme.darkAlgorithm : theme.defaultAlgorithm,
    hashed: false,
    token: {
      ...colours[name],
      fontFamily: font,
      fontFamilyCode: mono,
      fontSize: 14,
      borderRadius: 8,
      borderRadiusSM: 6,
      borderRadiusLG: 12,
      controlHeight: 34,
      wireframe: false,
      motion: motion === "usual",
      motionDurationMid: "0.15s",
      motionDurationSlow: "0.2s",
    },
    components: {
      Alert: {
        defaultPadding: "8px 12px",
        withDescriptionPadding: "10px 12px",
        withDescriptionIconSize: 16,
        fontSizeLG: 14,
        fontSizeHeading4: 14,
      },
      Button: { primaryShadow: "none", defaultShadow: "none", dangerShadow: "none", fontWeight: 500, ...readable[name].Button },
      Dropdown: readable[name].Dropdown,
      Modal: { titleFontSize: 16 },
      Tabs: { horizontalItemPadding: "10px 0", titleFontSize: 13 },
    },
  };
}
