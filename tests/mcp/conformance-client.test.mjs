// Deskhand's client before the official conformance suite. $DESKHAND_CONFORMANCE_CLIENT is the program that plays each
// scenario with it; the suite adds the address of its server.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'

import { complaints, required, suite } from './conformance.mjs'

// What is known not to pass, and why. A scenario that passes after all fails here, so that this list only shrinks.
const NOT_YET = {}

for (const revision of ['2025-11-25', '2026-07-28']) {
  describe(`conformance of the client, ${revision}`, { timeout: 300_000 }, () => {
    let found
    before(async () => {
      found = await suite('client', '--command', process.env.DESKHAND_CONFORMANCE_CLIENT, '--requirements', revision)
    })
    for (const scenario of required(revision, 'client')) {
      const why = NOT_YET[`${revision} ${scenario}`]
      test(why ? `${scenario} (not yet: ${why})` : scenario, () => {
        const wrong = complaints(found.checks.get(scenario))
        if (why) assert.notDeepEqual(wrong, [], 'this passes now: take it off the list')
        else assert.deepEqual(wrong, [])
      })
    }
  })
}
