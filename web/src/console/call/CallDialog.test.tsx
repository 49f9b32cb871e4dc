import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import type { ExecuteResponse } from "../../api/types";
import { show } from "../../test/page";
import { CallDialog } from "./CallDialog";
import type { Call } from "./useCall";

test.each([
  ["expired", true],
  ["error", false],
])("a call that ended as %s can be asked again: %s", async (status, canAskAgain) => {
  const again = vi.fn();
  const response = { success: false, status, message: "No.", need_confirmation: false } as ExecuteResponse;
  const call = { state: { step: "ended", response }, again, reset: vi.fn() } as unknown as Call;
  await show(<CallDialog call={call} title="Undo" />);
  const button = screen.queryByRole("button", { name: /Ask again/ });
  expect(button !== null).toBe(canAskAgain);
  if (button === null) return;
  await userEvent.setup().click(button);
  expect(again).toHaveBeenCalledOnce();
});
