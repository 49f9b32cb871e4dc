// Deskhand's client before the official conformance suite. $DESKHAND_CONFORMANCE_CLIENT is the program that plays each
// scenario with it; the suite adds the address of its server.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { complaints, required, suite } from './conformance.mjs'

// What is known not to pass, and why. A scenario that passes after all fails here, so that this list only shrinks.
const NOT_YET = {}

for (const revision of ['2025-11-25', '2026-07-28']) {
  // Not all at once, as the suite would by itself: some look at the clock.
  describe(`conformance of the client, ${revision}`, { timeout: 300_000, concurrency: 2 }, () => {
    for (const scenario of required(revision, 'client')) {
      const why = NOT_YET[`${revision} ${scenario}`]
      test(why ? `${scenario} (not yet: ${why})` : scenario, async () => {
        const command = process.env.DESKHAND_CONFORMANCE_CLIENT
        const found = await suite('client', '--command', command, '--scenario', scenario, '--spec-version', revision)
        const wrong = complaints(found.checks.get(scenario))
        if (why) {
          assert.notDeepEqual(wrong, [], 'this passes now: take it off the list')
          return
        }
        assert.deepEqual(wrong, [])
        assert.equal(found.code, 0, found.output.slice(-2000))
      })
    }
  })
}
