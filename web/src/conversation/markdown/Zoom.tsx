// antd's picture with its viewer: zoom, turn, move.
import { Image } from "antd";

export function Zoom({ source, alt }: { source: string; alt: string }) {
  return <Image src={source} alt={alt} loading="lazy" />;
}
