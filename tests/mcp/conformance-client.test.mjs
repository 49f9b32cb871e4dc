// Deskhand's client before the official conformance suite. $DESKHAND_CONFORMANCE_CLIENT is the command that plays
// each scenario with it; the suite adds the address of its server.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'

import { complaints, required, suite } from './conformance.mjs'

// Signing in with OAuth: a server that wants a token gets the one from the configuration.
const LEFT_OUT = /^auth\//

for (const revision of ['2025-11-25', '2026-07-28']) {
  describe(`conformance of the client, ${revision}`, { timeout: 300_000 }, () => {
    let found
    before(async () => {
      found = await suite('client', '--command', process.env.DESKHAND_CONFORMANCE_CLIENT, '--requirements', revision)
    })
    for (const scenario of required(revision, 'client')) {
      const options = LEFT_OUT.test(scenario) ? { skip: 'Deskhand does not sign in with OAuth' } : {}
      test(scenario, options, () => assert.deepEqual(complaints(found.checks.get(scenario)), []))
    }
  })
}
