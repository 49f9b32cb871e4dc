// The reference servers of MCP behind Deskhand's client: found, named, asked about, called, and their words treated as
// what they are, text from outside. The calls come from an MCP client, so that it is MCP on both sides.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'

import { Desk, PATIENCE, PROGRAM, until } from './desk.mjs'
import { LINES, all, call, connect, text, yes } from './sdk.mjs'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const VENV = process.env.DESKHAND_MCP_VENV
const python = VENV ? {} : { skip: 'the Python packages are not installed' }
const SERVERS = VENV ? ['filesystem', 'everything', 'fetch', 'git'] : ['filesystem', 'everything']
const LINE = LINES.at(-1)

/** The program of a package from npm, as its package.json names it. */
function script(name) {
  const place = require.resolve(`${name}/package.json`)
  return join(dirname(place), Object.values(require(place).bin)[0])
}

describe('reference servers', { timeout: 6 * PATIENCE }, () => {
  const desk = new Desk()
  let site, page, client, seen

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
      mcpServers.fetch = { command: join(VENV, 'bin/mcp-server-fetch'), args: ['--ignore-robots-txt', '--allow-private-ips'] }
      mcpServers.git = { command: join(VENV, 'bin/mcp-server-git'), args: ['--repository', desk.workspace] }
    }
    desk.write('.mcp.json', JSON.stringify({ mcpServers }))
    await desk.command('servers', 'import', desk.path('.mcp.json'))
    const opened = await connect(LINE, desk.stdio('--toolset', SERVERS.join(',')), { asked: yes })
    client = opened.client
    seen = opened.seen
  })
  after(async () => {
    await client?.close()
    site.close()
    await desk.clear()
  })

  /** One call, to which the person says yes. */
  const ask = (tool, args) => call(LINE, client, tool, args)
  /** One call from the command line: its outcome, whatever became of it. */
  const command = async (tool, args, ...more) => {
    const words = desk.args('--json', 'call', tool, JSON.stringify(args), ...more)
    const done = await run(PROGRAM, words, { env: desk.env, cwd: desk.workspace }).catch((error) => error)
    return JSON.parse(done.stdout)
  }
  const succeeded = (result) => {
    assert.ok(!result.isError, text(result))
    return text(result)
  }

  test('are all listed, each as a toolset of its own, as soon as they are ready', async () => {
    for (const tool of ['filesystem_read_text_file', 'everything_echo', ...(VENV ? ['fetch_fetch', 'git_git_status'] : [])]) {
      await until(tool, async () => {
        const tools = await all((params) => client.listTools(params, { cacheMode: 'refresh' }), 'tools')
        return tools.some((listed) => listed.name === `mcp_${tool}`)
      })
    }
    const { servers } = await desk.command('servers')
    assert.deepEqual(servers.map((server) => server.name).sort(), [...SERVERS].sort())
    for (const server of servers) assert.equal(server.status, 'ready', JSON.stringify(server))
  })

  test('the filesystem server reads a file, after a yes', async () => {
    const before = seen.questions.length
    assert.match(succeeded(await ask('mcp_filesystem_read_text_file', { path: desk.path('notes.txt') })), /milk/)
    // It says of this tool that it only reads. That is a hint, and no reason not to ask.
    assert.equal(seen.questions.length, before + 1)
  })

  test('nothing of theirs runs where nobody is asked', async () => {
    const path = desk.path('new.txt')
    for (const mode of ['unattended', 'read-only']) {
      const written = await command('mcp_filesystem_write_file', { path, content: '' }, '--mode', mode)
      assert.notEqual(written.status, 'success', JSON.stringify(written))
      assert.equal(desk.has('new.txt'), false)
    }
  })

  test('what they say is text from outside', async () => {
    const read = await command('mcp_filesystem_read_text_file', { path: desk.path('notes.txt') }, '--yes')
    assert.equal(read.status, 'success', JSON.stringify(read))
    assert.match(read.outside, /filesystem/)
    const fenced = await ask('mcp_filesystem_read_text_file', { path: desk.path('notes.txt') })
    assert.match(succeeded(fenced), /outside.text/)
    // Some clients show the model nothing else where it is there.
    if (fenced.structuredContent) assert.match(JSON.stringify(fenced.structuredContent), /outside.text/)
  })

  test('a secret that a server hands over is masked', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    desk.write('secret.txt', `token ${secret}\n`)
    const result = await ask('mcp_filesystem_read_text_file', { path: desk.path('secret.txt') })
    assert.match(succeeded(result), /masked/)
    assert.ok(!JSON.stringify(result).includes(secret))
  })

  test('what is wrong is an error with the words of the server', async () => {
    const read = await ask('mcp_filesystem_read_text_file', { path: '/etc/hostname' })
    assert.equal(read.isError, true)
    assert.match(text(read), /denied|outside/i)
    const before = seen.questions.length
    assert.equal((await ask('mcp_filesystem_read_text_file', {})).isError, true)
    assert.equal(seen.questions.length, before, 'nobody is asked about arguments that do not fit')
  })

  test('the everything server echoes, adds and draws', async () => {
    assert.match(succeeded(await ask('mcp_everything_echo', { message: 'hello' })), /hello/)
    assert.match(succeeded(await ask('mcp_everything_get-sum', { a: 2, b: 3 })), /5/)
    const drawn = await ask('mcp_everything_get-tiny-image', {})
    succeeded(drawn)
    assert.ok(drawn.content.some((part) => part.type === 'image' && part.mimeType === 'image/png'))
  })

  test('the fetch server fetches a page', python, async () => {
    // Raw, since it would otherwise fetch a package from npm first, to find the article in the page.
    assert.match(succeeded(await ask('mcp_fetch_fetch', { url: page, raw: true })), /Bread is sold out/)
  })

  test('the git server tells what has changed', python, async () => {
    assert.match(succeeded(await ask('mcp_git_git_status', { repo_path: desk.workspace })), /notes\.txt/)
  })
})
