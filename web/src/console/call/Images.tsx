// Pictures in a result; a click shows them large, to zoom and turn.
import { Image as Zoomable } from "antd";

import type { Image } from "../../api/types";
import { useConsoleText } from "../texts";
import styles from "./call.module.css";

export function Images({ images }: { images: readonly Image[] }) {
  const text = useConsoleText().call;
  return (
    <div className={styles.images}>
      <Zoomable.PreviewGroup>
        {images.map((image, index) => (
          <Zoomable key={index} src={`data:${image.mime};base64,${image.base64}`} alt={text.image(index + 1)} />
        ))}
      </Zoomable.PreviewGroup>
    </div>
  );
}
