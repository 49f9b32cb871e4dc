// Both lines of the official TypeScript SDK behind one face: version 1 speaks the revisions with `initialize`,
// version 2 also the stateless one of 2026-07-28.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'

const INFO = { name: 'deskhand-tests', version: '1.0.0' }

/** The three ways in which the SDKs are tried. */
export const LINES = [
  { title: 'SDK 1, 2025-11-25', revision: '2025-11-25', sdk: 1 },
  { title: 'SDK 2, 2025-11-25', revision: '2025-11-25', sdk: 2, mode: 'legacy' },
  { title: 'SDK 2, 2026-07-28', revision: '2026-07-28', sdk: 2, mode: { pin: '2026-07-28' } },
]

/**
 * A client that is connected. `asked` answers questions (without it the client says that it cannot be asked);
 * what was logged and asked is kept.
 */
export async function connect(line, place, { asked } = {}) {
  const capabilities = asked ? { elicitation: { form: {} } } : {}
  const seen = { questions: [], logs: [], changes: 0 }
  const client =
    line.sdk === 1
      ? new Client1(INFO, { capabilities })
      : new Client2(INFO, { capabilities, versionNegotiation: { mode: line.mode } })
  const answer = (request) => {
    seen.questions.push(request.params)
    return asked(request.params)
  }
  if (asked) client.setRequestHandler(line.sdk === 1 ? ElicitRequestSchema : 'elicitation/create', answer)
  client.setNotificationHandler(
    line.sdk === 1 ? LoggingMessageNotificationSchema : 'notifications/message',
    (message) => void seen.logs.push(message.params),
  )
  client.setNotificationHandler(
    line.sdk === 1 ? ToolListChangedNotificationSchema : 'notifications/tools/list_changed',
    () => void (seen.changes += 1),
  )
  await client.connect(transport(line, place))
  return { client, seen }
}

function transport(line, place) {
  if (place.url) {
    const headers = place.token ? { Authorization: `Bearer ${place.token}` } : {}
    const noting = async (...request) => {
      const answer = await fetch(...request)
      place.statuses?.push(answer.status)
      return answer
    }
    return new (line.sdk === 1 ? Http1 : Http2)(new URL(place.url), { requestInit: { headers }, fetch: noting })
  }
  return new (line.sdk === 1 ? Stdio1 : Stdio2)({ ...place, stderr: 'inherit' })
}

/** Calls a tool in the way of this line's SDK. */
export function call(line, client, name, args, options = {}) {
  const params = { name, arguments: args }
  return line.sdk === 1 ? client.callTool(params, undefined, options) : client.callTool(params, options)
}

/** All pages of a list. */
export async function all(list, key) {
  const entries = []
  let cursor
  do {
    const page = await list(cursor ? { cursor } : {})
    entries.push(...page[key])
    cursor = page.nextCursor
  } while (cursor)
  return entries
}

/** A person who says yes: every field that is asked for gets the value that allows once. */
export function yes({ requestedSchema }) {
  const content = {}
  for (const [name, field] of Object.entries(requestedSchema?.properties ?? {})) content[name] = agreeing(field)
  return { action: 'accept', content }
}

/** A person who says no, in the way that every client has. */
export function no() {
  return { action: 'decline' }
}

/** A client that shows the question to nobody: Claude Code without a terminal closes each at once. */
export function closes() {
  return { action: 'cancel' }
}

function agreeing(field) {
  const values = field.enum ?? field.oneOf?.map((choice) => choice.const)
  if (values) return values.find((value) => /^(yes|allow|approve|accept|once)/i.test(value)) ?? values[0]
  if (field.type === 'boolean') return true
  if (field.type === 'string') return field.default ?? ''
  return field.default ?? 0
}

export const text = (result) => result.content.filter((part) => part.type === 'text').map((part) => part.text).join('\n')
