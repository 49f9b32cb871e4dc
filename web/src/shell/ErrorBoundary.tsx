// A part of the page that breaks down is one broken part, with a way out.
import { Button, Result } from "antd";
import { Component, type ReactNode } from "react";

import { useText } from "../i18n";

interface State {
  error: Error | null;
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Broken error={error} />;
  }
}

function Broken({ error }: { error: Error }) {
  const text = useText();
  // After an update the server no longer has the parts of the page that was open.
  const outdated = /dynamically imported module|Importing a module script/i.test(error.message);
  return (
    <Result
      status="warning"
      title={outdated ? text.errors.outdated : text.errors.crashed}
      subTitle={outdated ? undefined : error.message}
      extra={
        <Button type="primary" onClick={() => window.location.reload()}>
          {text.errors.reload}
        </Button>
      }
    />
  );
}
