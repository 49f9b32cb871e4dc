// Gives an answer, and knows how that went: taken, too late, or not understood.
import { useState } from "react";

import { api } from "../../api/client";
import type { Answer, AnswerResult, ResultAnswer, Settled } from "../../api/types";
import { forget } from "../../text/kept";

/** The questions that this page showed, and those that it answered. */
const shownHere = new Set<string>();
const answeredHere = new Set<string>();

export function noteShown(approvalId: string): void {
  shownHere.add(approvalId);
}

/** This page asked, and someone else was first. */
export function wasAnsweredElsewhere(approvalId: string): boolean {
  return shownHere.has(approvalId) && !answeredHere.has(approvalId);
}

export interface Answering {
  answer: (given: Answer | ResultAnswer) => void;
  busy: boolean;
  error: unknown;
  /** How it stands, as soon as the server said so. */
  settled: Settled | null;
}

export function useAnswer(approvalId: string): Answering {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [settled, setSettled] = useState<Settled | null>(null);
  const answer = (given: Answer | ResultAnswer) => {
    if (busy || settled !== null) return;
    setBusy(true);
    setError(null);
    // The event may be here before the answer to this request is.
    answeredHere.add(approvalId);
    api
      .post<AnswerResult>(`approvals/${encodeURIComponent(approvalId)}`, given)
      .then((result) => {
        if (!result.accepted) answeredHere.delete(approvalId);
        forget(approvalId);
        setSettled(result.settled);
      })
      .catch((problem: unknown) => {
        answeredHere.delete(approvalId);
        setError(problem);
      })
      .finally(() => setBusy(false));
  };
  return { answer, busy, error, settled };
}
