// The panel on the right. Any part of the page may show something in it: beside the content where there is room, else
// in a drawer.
import { CloseOutlined } from "@ant-design/icons";
import { Button, Drawer } from "antd";
import { createContext, type ReactNode, use, useEffect } from "react";
import { createPortal } from "react-dom";

import { useText } from "../i18n";
import styles from "./shell.module.css";
import { useWidth } from "./useWidth";

/** Where panels are put, and a counter of those that are open. */
export interface PanelSlot {
  element: HTMLElement | null;
  opened: () => () => void;
}

export const PanelSlotContext = createContext<PanelSlot>({ element: null, opened: () => () => undefined });

interface Props {
  title: ReactNode;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function ToolPanel({ title, open, onClose, children }: Props) {
  const text = useText();
  const slot = use(PanelSlotContext);
  const beside = useWidth() === "wide" && slot.element !== null;
  const { opened } = slot;
  useEffect(() => (open && beside ? opened() : undefined), [open, beside, opened]);
  if (!beside) {
    return (
      <Drawer title={title} open={open} onClose={onClose} size="min(440px, 100vw)" destroyOnHidden>
        {children}
      </Drawer>
    );
  }
  if (!open || slot.element === null) return null;
  return createPortal(
    <div className={styles.panelInside}>
      <div className={styles.panelHead}>
        <h2 className={styles.panelTitle}>{title}</h2>
        <Button type="text" icon={<CloseOutlined aria-hidden />} aria-label={text.shell.closePanel} onClick={onClose} />
      </div>
      <div className={styles.panelBody}>{children}</div>
    </div>,
    slot.element,
  );
}
