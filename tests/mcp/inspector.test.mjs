// Deskhand as the command line of the official Inspector meets it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join, dirname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'

import { Desk, PATIENCE } from './desk.mjs'

const run = promisify(execFile)
const HERE = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'))
const INSPECTOR = join(HERE, 'clients/launcher/build/index.js')

describe('the Inspector', { timeout: 4 * PATIENCE }, () => {
  const desk = new Desk()
  let served
  before(async () => (served = await desk.serve()))
  after(() => desk.clear())

  /** What it prints for one request. The target comes last, behind a `--` of its own options. */
  const inspect = async (target, era, ...request) => {
    const words = ['--cli', ...target, '--protocol-era', era, '--format', 'json', '--quiet', '--method', ...request]
    const { stdout } = await run(process.execPath, [INSPECTOR, ...words], { env: desk.env, cwd: desk.place })
    const printed = JSON.parse(stdout)
    return printed.result ?? printed
  }
  // Its own options and the program's would mix on one command line, so the server stands in a file, as people have it.
  const overStdio = () => {
    const { command, args } = desk.stdio()
    desk.write('mcp.json', JSON.stringify({ mcpServers: { deskhand: { command, args } } }))
    return ['--config', desk.path('mcp.json'), '--server', 'deskhand']
  }
  const overHttp = (token = served.mcp_token) => ['--server-url', served.mcp_url, '--transport', 'http', '--stored-auth-only', '--header', `Authorization: Bearer ${token}`]

  for (const [way, target] of [['stdio', overStdio], ['HTTP', overHttp]]) {
    for (const era of ['legacy', 'modern']) {
      test(`lists and calls over ${way}, ${era}`, async () => {
        const { tools } = await inspect(target(), era, 'tools/list')
        assert.ok(tools.some((tool) => tool.name === 'read_file'), JSON.stringify(tools).slice(0, 300))
        const read = await inspect(target(), era, 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=notes.txt')
        assert.match(read.content[0].text, /milk\n.*bread/)
      })
    }
  }

  test('finds no schema that other clients would stumble over', async () => {
    await inspect(overStdio(), 'legacy', 'tools/list', '--strict')
  })

  test('is not let in with a wrong token', async () => {
    await assert.rejects(inspect(overHttp('wrong'), 'legacy', 'tools/list'), { code: 3 })
  })
})
