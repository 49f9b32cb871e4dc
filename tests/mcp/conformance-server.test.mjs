// Deskhand as a server before the official conformance suite. $DESKHAND_FIXTURES_BIN is the program, built with the
// tools, prompts and resources that the suite wants to find.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { complaints, required, suite } from './conformance.mjs'
import { Desk } from './desk.mjs'
import { withToken } from './proxy.mjs'

const REVISIONS = ['2025-11-25', '2026-07-28']
// What the newest suite has beyond the frozen lists, and Deskhand keeps to as well.
const BEYOND = {
  '2025-11-25': ['server-session-lifecycle', 'json-schema-2020-12'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation'],
}

describe('conformance of the server', { timeout: 300_000 }, () => {
  const desk = new Desk()
  let served
  before(async () => {
    const args = desk.args('serve', '--listen', '127.0.0.1:0', '--json')
    served = await withToken(await desk.start(args, process.env.DESKHAND_FIXTURES_BIN))
  })
  after(async () => {
    served?.close()
    await desk.clear()
  })

  for (const revision of REVISIONS) {
    describe(revision, () => {
      let found
      before(async () => (found = await suite('server', '--url', served.mcp_url, '--requirements', revision)))

      for (const scenario of [...required(revision, 'server'), ...BEYOND[revision]]) {
        test(scenario, () => assert.deepEqual(complaints(found.checks.get(scenario)), []))
      }
      test('the suite itself says so', () => assert.equal(found.code, 0, found.output.slice(-2000)))
    })
  }

  test('2025-06-18', async () => {
    const found = await suite('server', '--url', served.mcp_url, '--suite', 'active', '--spec-version', '2025-06-18')
    assert.equal(found.code, 0, found.output.slice(-2000))
    assert.ok(found.checks.size >= 25, `${found.checks.size} scenarios`)
    for (const [scenario, checks] of found.checks) assert.deepEqual(complaints(checks), [], scenario)
  })
})

// The measure itself is measured: where nobody listens, nothing may pass.
describe('a port where nobody listens', { timeout: 120_000 }, () => {
  for (const revision of REVISIONS) {
    test(`passes nothing at ${revision}`, async () => {
      const found = await suite('server', '--url', 'http://127.0.0.1:9/mcp', '--requirements', revision)
      assert.equal(found.code, 1)
      for (const scenario of required(revision, 'server')) {
        assert.notDeepEqual(complaints(found.checks.get(scenario)), [], scenario)
      }
    })
  }
})
