// One row that cannot be drawn is one line that says so; the rest of the conversation stays.
import { Component, type ReactNode } from "react";

import { useText } from "../../i18n";
import { visible } from "../../text/visible";
import styles from "./steps.module.css";

interface Props {
  /** What the row shows: when that changes, it is tried again. */
  of: unknown;
  children: ReactNode;
}

interface State {
  error: Error | null;
  of: unknown;
}

export class RowBoundary extends Component<Props, State> {
  override state: State = { error: null, of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return Object.is(props.of, state.of) ? null : { error: null, of: props.of };
  }

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : <Broken error={error} />;
  }
}

function Broken({ error }: { error: Error }) {
  const words = useText().conversation.step;
  return (
    <p className={styles.error} role="alert">
      {words.broken} {visible(error.message.slice(0, 300))}
    </p>
  );
}
