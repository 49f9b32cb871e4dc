// The reference servers of MCP behind Deskhand's client: found, named, asked about, called, and their words treated as
// what they are, text from outside.
import assert from 'node:assert/strict'
import { execFileSync, execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'

import { Desk, PATIENCE, PROGRAM } from './desk.mjs'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const VENV = process.env.DESKHAND_MCP_VENV
const python = VENV ? {} : { skip: 'the Python packages are not installed' }

/** The program of a package from npm, as its package.json names it. */
function script(name) {
  const place = require.resolve(`${name}/package.json`)
  return join(dirname(place), Object.values(require(place).bin)[0])
}

describe('reference servers', { timeout: 6 * PATIENCE }, () => {
  const desk = new Desk()
  let site, page

  before(async () => {
    site = createServer((asked, answer) => {
      answer.writeHead(asked.url === '/page' ? 200 : 404, { 'Content-Type': 'text/html' })
      answer.end('<html><body><article><p>Bread is sold out.</p></article></body></html>')
    })
    await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve))
    page = `http://127.0.0.1:${site.address().port}/page`
    execFileSync('git', ['init', '--quiet', desk.workspace], { env: desk.env })
    // As any other client has it.
    const mcpServers = {
      filesystem: { command: process.execPath, args: [script('@modelcontextprotocol/server-filesystem'), desk.workspace] },
      everything: { command: process.execPath, args: [script('@modelcontextprotocol/server-everything')] },
    }
    if (VENV) {
      mcpServers.fetch = { command: join(VENV, 'bin/mcp-server-fetch'), args: ['--ignore-robots-txt'] }
      mcpServers.git = { command: join(VENV, 'bin/mcp-server-git'), args: ['--repository', desk.workspace] }
    }
    desk.write('.mcp.json', JSON.stringify({ mcpServers }))
    await desk.command('servers', 'import', desk.path('.mcp.json'))
  })
  after(async () => {
    site.close()
    await desk.clear()
  })

  /** One call: its outcome, whatever became of it. */
  const call = async (tool, args, ...more) => {
    const words = desk.args('--json', 'call', tool, JSON.stringify(args), ...more)
    const done = await run(PROGRAM, words, { env: desk.env, cwd: desk.workspace }).catch((error) => error)
    return JSON.parse(done.stdout)
  }

  test('are all ready', async () => {
    const { servers } = await desk.command('servers')
    for (const server of servers) assert.equal(server.status, 'ready', JSON.stringify(server))
    assert.equal(servers.length, VENV ? 4 : 2)
  })

  test('the filesystem server reads a file, after a yes', async () => {
    const path = desk.path('notes.txt')
    const read = await call('mcp_filesystem_read_text_file', { path }, '--yes')
    assert.equal(read.status, 'success', JSON.stringify(read))
    assert.match(read.text, /milk/)
    // It says of this tool that it only reads. That is a hint, and no reason not to ask.
    const unasked = await call('mcp_filesystem_read_text_file', { path }, '--mode', 'unattended')
    assert.notEqual(unasked.status, 'success', JSON.stringify(unasked))
    const looking = await call('mcp_filesystem_write_file', { path: desk.path('new.txt'), content: '' }, '--yes', '--mode', 'read-only')
    assert.notEqual(looking.status, 'success', JSON.stringify(looking))
    assert.equal(desk.has('new.txt'), false)
  })

  test('a secret that a server hands over is masked', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    desk.write('secret.txt', `token ${secret}\n`)
    const read = await call('mcp_filesystem_read_text_file', { path: desk.path('secret.txt') }, '--yes')
    assert.equal(read.status, 'success', JSON.stringify(read))
    assert.ok(!JSON.stringify(read).includes(secret))
    assert.match(read.text, /masked/)
  })

  test('what is wrong is an error with the words of the server', async () => {
    const read = await call('mcp_filesystem_read_text_file', { path: '/etc/hostname' }, '--yes')
    assert.equal(read.status, 'error', JSON.stringify(read))
    assert.match(read.text, /denied|outside/i)
    const wrong = await call('mcp_filesystem_read_text_file', {}, '--yes')
    assert.equal(wrong.status, 'invalid_arguments')
  })

  test('the everything server echoes, adds and draws', async () => {
    assert.match((await call('mcp_everything_echo', { message: 'hello' }, '--yes')).text, /hello/)
    assert.match((await call('mcp_everything_get-sum', { a: 2, b: 3 }, '--yes')).text, /5/)
    const drawn = await call('mcp_everything_get-tiny-image', {}, '--yes')
    assert.equal(drawn.status, 'success', JSON.stringify(drawn))
  })

  test('the fetch server fetches a page', python, async () => {
    const got = await call('mcp_fetch_fetch', { url: page }, '--yes')
    assert.equal(got.status, 'success', JSON.stringify(got))
    assert.match(got.text, /Bread is sold out/)
  })

  test('the git server tells what has changed', python, async () => {
    const status = await call('mcp_git_git_status', { repo_path: desk.workspace }, '--yes')
    assert.equal(status.status, 'success', JSON.stringify(status))
    assert.match(status.text, /notes\.txt/)
  })

  test('are offered to MCP clients as a toolset', async () => {
    const { tools } = await desk.command('tools', '--toolset', 'filesystem')
    assert.ok(tools.some((tool) => tool.name === 'mcp_filesystem_read_text_file'))
  })
})
