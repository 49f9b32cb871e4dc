// The official conformance suite, and how its verdict is read: by scenario, from the checks that it writes down. The
// totals that it prints count checks, and of those a port where nobody listens passes dozens.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { parse } from 'yaml'

const HERE = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'))

/** The scenarios that a revision requires of a `server` or a `client`, as the suite froze them. */
export function required(revision, side) {
  return parse(readFileSync(join(HERE, 'requirements', `${revision}.yaml`), 'utf8'))[side]
}

/** Runs the suite; what it found, by scenario: `{code, output, checks: Map(scenario → checks)}`. */
export async function suite(side, ...words) {
  const place = mkdtempSync(join(tmpdir(), 'deskhand-conformance-'))
  try {
    const { code, output } = await finish([side, ...words, '--output-dir', place])
    const checks = new Map()
    collect(place, '', side, checks)
    return { code, output, checks }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

// Folders are called server-SCENARIO-TIME, or SCENARIO-TIME for a client; a scenario's name may have a slash in it.
function collect(place, above, side, checks) {
  for (const entry of readdirSync(join(place, above), { withFileTypes: true })) {
    const path = join(above, entry.name)
    if (!entry.isDirectory()) continue
    const named = path.match(/^(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/)?.[1]
    if (!named) collect(place, path, side, checks)
    else {
      const scenario = side === 'server' ? named.replace(/^server-/, '') : named
      const file = join(place, path, 'checks.json')
      // A scenario that broke off leaves an empty folder.
      if (existsSync(file)) checks.set(scenario, JSON.parse(readFileSync(file, 'utf8')))
    }
  }
}

function finish(words) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(HERE, 'dist/index.js'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** What is wrong with a scenario, in words; nothing where it is as it should be. Warnings count, too. */
export function complaints(checks) {
  if (!checks) return ['it was not run']
  const wrong = checks
    .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
    .map((check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`)
  // The suite's own check of the wire passes for a message that only it sent.
  const real = checks.filter((check) => check.status === 'SUCCESS' && check.id !== 'wire-schema-valid')
  return wrong.length === 0 && real.length === 0 ? ['no check of it was made'] : wrong
}
