// A desk of its own for a test: a workspace, a data folder, and the program on both. Nothing of the caller's
// environment takes part but where programs are.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync, readFileSync, existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const PROGRAM = process.env.DESKHAND_BIN

/** How long anything may take before the test gives up on it. Only a bound: nothing is measured with it. */
export const PATIENCE = 30_000

export class Desk {
  constructor() {
    // The real path, since tools answer with it.
    this.place = realpathSync(mkdtempSync(join(tmpdir(), 'deskhand-mcp-')))
    this.workspace = join(this.place, 'workspace')
    this.data = join(this.place, 'data')
    for (const folder of ['workspace', 'home']) mkdirSync(join(this.place, folder))
    // With the data of every tool, which is checked against its schema.
    this.env = { PATH: process.env.PATH, HOME: join(this.place, 'home'), LC_ALL: 'C.UTF-8', DESKHAND_MCP_STRUCTURED_CONTENT: 'true' }
    this.running = []
    this.write('notes.txt', 'milk\nbread\n')
  }

  path(name) {
    return join(this.workspace, name)
  }

  write(name, text) {
    writeFileSync(this.path(name), text)
  }

  skill(name, text) {
    mkdirSync(join(this.data, 'skills', name), { recursive: true })
    writeFileSync(join(this.data, 'skills', name, 'SKILL.md'), text)
  }

  read(name) {
    return readFileSync(this.path(name), 'utf8')
  }

  has(name) {
    return existsSync(this.path(name))
  }

  /** The arguments that put the program on this desk. */
  args(...command) {
    return [...command, '--data-dir', this.data, '--workspace', this.workspace]
  }

  /** How an MCP client starts the program: as its configuration would say it. */
  stdio(...more) {
    return { command: PROGRAM, args: this.args('mcp', ...more), env: this.env, cwd: this.workspace }
  }

  /** One command of the program; its JSON. */
  async command(...words) {
    const { stdout } = await run(PROGRAM, this.args('--json', ...words), { env: this.env, cwd: this.workspace })
    return JSON.parse(stdout)
  }

  /** Starts the server and waits until it says where it listens: `{url, token, mcp_url, mcp_token, …}`. */
  async serve(...words) {
    return this.start(this.args(...(words.length ? words : ['serve', '--listen', '127.0.0.1:0']), '--json'))
  }

  async start(args, program = PROGRAM) {
    const child = spawn(program, args, { env: this.env, cwd: this.workspace, stdio: ['ignore', 'pipe', 'pipe'] })
    this.running.push(child)
    let complaints = ''
    child.stderr.on('data', (bytes) => (complaints += bytes))
    const line = await new Promise((resolve, reject) => {
      createInterface(child.stdout).once('line', resolve)
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`${program} ${args.join(' ')} ended (${code}): ${complaints}`)))
    })
    return JSON.parse(line)
  }

  /** The question that waits, as soon as there is one. */
  async question() {
    return until('a question waits', async () => (await this.command('approvals')).approvals[0])
  }

  async answer(id, word) {
    return this.command('approvals', 'answer', id, word)
  }

  /** What the audit has of calls of a tool, newest first. */
  async ends(tool) {
    const { records } = await this.command('audit')
    return records.filter((record) => record.tool_name === tool && record.phase === 'end')
  }

  async clear() {
    for (const child of this.running) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    }
    rmSync(this.place, { recursive: true, force: true })
  }
}

/** Looks again until there is something; the last error if there never is. */
export async function until(what, look) {
  const end = Date.now() + PATIENCE
  let last
  do {
    try {
      const found = await look()
      if (found) return found
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  } while (Date.now() < end)
  throw new Error(`waited in vain: ${what}${last ? ` (${last.message})` : ''}`)
}
