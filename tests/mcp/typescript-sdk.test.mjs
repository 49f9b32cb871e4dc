// Deskhand as the official TypeScript SDK meets it, over stdio and over streamable HTTP, in each revision.
import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { Desk, PATIENCE, until } from './desk.mjs'
import { LINES, all, call, closes, connect, no, text, yes } from './sdk.mjs'

const ajv = new Ajv2020({ strict: false })

for (const line of LINES) {
  describe(`${line.title}, stdio`, { timeout: 4 * PATIENCE }, () => {
    let desk, clients
    beforeEach(() => {
      desk = new Desk()
      clients = []
    })
    afterEach(async () => {
      for (const client of clients) await client.close()
      await desk.clear()
    })
    const open = async (options, ...more) => {
      const opened = await connect(line, desk.stdio(...more), options)
      clients.push(opened.client)
      return opened
    }

    test('says who it is and what it can do', async () => {
      const { client } = await open()
      assert.equal(client.getServerVersion().name, 'deskhand')
      const capabilities = client.getServerCapabilities()
      for (const one of ['tools', 'resources', 'prompts', 'completions', 'logging']) {
        assert.ok(capabilities[one], `no ${one} in ${JSON.stringify(capabilities)}`)
      }
    })

    test('lists its tools, page by page, with schemas and hints', async () => {
      const { client } = await open()
      const tools = await all((params) => client.listTools(params), 'tools')
      const names = tools.map((tool) => tool.name)
      assert.equal(new Set(names).size, names.length)
      for (const tool of tools) {
        assert.equal(tool.inputSchema.type, 'object', tool.name)
        ajv.compile(tool.inputSchema)
      }
      const [read, write] = ['read_file', 'write_file'].map((name) => tools.find((tool) => tool.name === name))
      assert.equal(read.annotations.readOnlyHint, true)
      // What is not said is no promise.
      assert.ok(!write.annotations?.readOnlyHint)
      assert.equal(read.outputSchema.type, 'object')
    })

    test('reads a file; the structured content is as the schema says', async () => {
      const { client } = await open({}, '--full-schemas')
      const tools = await all((params) => client.listTools(params), 'tools')
      const result = await call(line, client, 'read_file', { path: 'notes.txt' })
      assert.ok(!result.isError, text(result))
      assert.match(text(result), /milk/)
      assert.equal(result.structuredContent.content, 'milk\nbread\n')
      const { outputSchema } = tools.find((tool) => tool.name === 'read_file')
      assert.ok(outputSchema.properties.content, JSON.stringify(outputSchema))
      const fits = ajv.compile(outputSchema)
      assert.ok(fits(result.structuredContent), JSON.stringify(fits.errors))
    })

    test('a failed call is a result, with what to do about it', async () => {
      const { client } = await open()
      const missing = await call(line, client, 'read_file', { path: 'note.txt' })
      assert.equal(missing.isError, true)
      assert.match(text(missing), /note\.txt/)
      // Where it is there, some clients show the model nothing else.
      assert.equal(missing.structuredContent, undefined)
      const wrong = await call(line, client, 'read_file', { path: 7 })
      assert.equal(wrong.isError, true)
      assert.match(text(wrong), /path/)
      const absent = await call(line, client, 'no_such_tool', {}).then(
        (result) => (result.isError ? text(result) : undefined),
        (error) => error.message,
      )
      assert.match(absent ?? '', /no_such_tool/)
    })

    test('asks the person before it writes, and writes after a yes', async () => {
      const { client, seen } = await open({ asked: yes })
      const result = await call(line, client, 'write_file', { path: 'new.txt', content: 'eggs\n' })
      assert.ok(!result.isError, text(result))
      assert.equal(seen.questions.length, 1)
      assert.match(seen.questions[0].message, /new\.txt/)
      assert.equal(desk.read('new.txt'), 'eggs\n')
      const [end] = await desk.ends('write_file')
      assert.equal(end.status, 'success')
      assert.equal(end.decision, 'ask')
      assert.match(end.decided_by, /^person:/)
    })

    for (const [how, asked] of [
      ['declines', no],
      // Later than half a second: before that nobody can have read it.
      ['closes the question', () => new Promise((resolve) => setTimeout(() => resolve(closes()), 600))],
    ]) {
      test(`a person who ${how} is obeyed: nothing is written`, async () => {
        const { client, seen } = await open({ asked })
        const result = await call(line, client, 'write_file', { path: 'new.txt', content: 'eggs\n' })
        assert.equal(result.isError, true)
        assert.match(text(result), /refused|rejected/)
        assert.equal(result.structuredContent, undefined)
        assert.equal(seen.questions.length, 1)
        assert.equal(desk.has('new.txt'), false)
        const [end] = await desk.ends('write_file')
        assert.notEqual(end.status, 'success')
      })
    }

    test('a question that is closed at once was read by nobody: another surface answers it', async () => {
      const { client, seen } = await open({ asked: closes })
      const result = call(line, client, 'write_file', { path: 'new.txt', content: 'eggs\n' })
      const question = await desk.question()
      await until('the client was asked', () => seen.questions.length > 0)
      await desk.answer(question.id, 'yes')
      assert.ok(!(await result).isError, text(await result))
      assert.equal(seen.questions.length, 1)
      assert.equal(desk.read('new.txt'), 'eggs\n')
    })

    test('a question that is closed at once and answered by nobody expires, and the text says so', async () => {
      desk.env.DESKHAND_APPROVAL_TIMEOUT_S = '1'
      const { client } = await open({ asked: closes })
      const result = await call(line, client, 'write_file', { path: 'new.txt', content: 'eggs\n' })
      assert.equal(result.isError, true)
      assert.match(text(result), /^\[expired\]/)
      assert.match(text(result), /deskhand approvals/)
      assert.equal(desk.has('new.txt'), false)
    })

    test('a client that cannot be asked waits with progress while another surface answers', async () => {
      const { client } = await open()
      const steps = []
      const result = call(line, client, 'write_file', { path: 'new.txt', content: 'eggs\n' }, {
        onprogress: (step) => void steps.push(step),
        resetTimeoutOnProgress: true,
      })
      const question = await desk.question()
      assert.equal(desk.has('new.txt'), false)
      await until('progress', () => steps.length > 0)
      await desk.answer(question.id, 'yes')
      assert.ok(!(await result).isError, text(await result))
      assert.equal(desk.read('new.txt'), 'eggs\n')
      for (let at = 1; at < steps.length; at += 1) assert.ok(steps[at].progress > steps[at - 1].progress)
    })

    test('a call that is cancelled ends, and the next one is answered', async () => {
      const { client } = await open({ asked: yes })
      const stop = new AbortController()
      const slept = call(line, client, 'bash', { command: 'sleep 600' }, { signal: stop.signal })
      await until('the call arrived', async () => {
        const { records } = await desk.command('audit')
        return records.some((record) => record.tool_name === 'bash' && record.phase === 'arrival')
      })
      stop.abort('the person changed their mind')
      await assert.rejects(slept)
      const end = await until('the call ended', async () => (await desk.ends('bash'))[0])
      assert.equal(end.status, 'cancelled')
      assert.match(text(await call(line, client, 'read_file', { path: 'notes.txt' })), /milk/)
    })

    test('resources: files of the workspace, and nothing outside', async () => {
      const { client } = await open()
      const resources = await all((params) => client.listResources(params), 'resources')
      const notes = resources.find((resource) => resource.uri.endsWith('/notes.txt'))
      assert.ok(notes, `no notes.txt in ${resources.map((resource) => resource.uri)}`)
      const { contents } = await client.readResource({ uri: notes.uri })
      assert.equal(contents[0].uri, notes.uri)
      assert.equal(contents[0].text, 'milk\nbread\n')
      const outside = notes.uri.replace(/workspace\/notes\.txt$/, 'data/deskhand.db')
      assert.notEqual(outside, notes.uri)
      await assert.rejects(client.readResource({ uri: outside }))
      await assert.rejects(client.readResource({ uri: notes.uri.replace('notes.txt', '../data/deskhand.db') }))
    })

    test('skills are prompts', async () => {
      desk.skill('greet', '---\nname: greet\ndescription: Greets somebody\narguments:\n  - name: who\n    required: true\n---\nSay hello to {{who}}.\n')
      const { client } = await open()
      const [greet, ...others] = await all((params) => client.listPrompts(params), 'prompts')
      assert.equal(others.length, 0)
      assert.equal(greet.name, 'greet')
      assert.equal(greet.description, 'Greets somebody')
      assert.equal(greet.arguments[0].name, 'who')
      const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })
      assert.equal(messages[0].content.text.trim(), 'Say hello to Ada.')
      await assert.rejects(client.getPrompt({ name: 'greet' }), /who/)
    })

    test('paths are completed, inside the workspace', async () => {
      const { client } = await open()
      const templates = await all((params) => client.listResourceTemplates(params), 'resourceTemplates')
      const files = templates.find((template) => template.uriTemplate.includes('path'))
      assert.ok(files, `no template of files in ${JSON.stringify(templates)}`)
      // As it stands in the address: absolute, without the first slash.
      const complete = async (value) => {
        const ref = { type: 'ref/resource', uri: files.uriTemplate }
        return (await client.complete({ ref, argument: { name: 'path', value } })).completion.values
      }
      assert.deepEqual(await complete(`${desk.workspace.slice(1)}/no`), [`${desk.workspace.slice(1)}/notes.txt`])
      assert.deepEqual(await complete('etc/pass'), [])
      assert.deepEqual(await complete(`${desk.workspace.slice(1)}/../data/`), [])
    })

    if (line.revision === '2025-11-25') {
      test('logs what happens with a question, at the level that was asked for', async () => {
        const { client, seen } = await open({ asked: yes })
        await client.setLoggingLevel('emergency')
        await call(line, client, 'write_file', { path: 'one.txt', content: '' })
        assert.equal(seen.logs.length, 0)
        await client.setLoggingLevel('debug')
        await call(line, client, 'write_file', { path: 'two.txt', content: '' })
        await until('something was logged', () => seen.logs.length > 0)
      })
    }

    test('in read-only mode nothing is written, and nobody is asked', async () => {
      const { client, seen } = await open({ asked: yes }, '--mode', 'read-only')
      const result = await call(line, client, 'write_file', { path: 'new.txt', content: 'eggs\n' })
      assert.equal(result.isError, true)
      assert.equal(seen.questions.length, 0)
      assert.equal(desk.has('new.txt'), false)
    })
  })

  describe(`${line.title}, streamable HTTP`, { timeout: 4 * PATIENCE }, () => {
    const desk = new Desk()
    const clients = []
    let served
    const open = async (options, place = {}) => {
      served ??= await desk.serve()
      const opened = await connect(line, { url: served.mcp_url, token: served.mcp_token, ...place }, options)
      clients.push(opened.client)
      return opened
    }
    after(async () => {
      for (const client of clients) await client.close()
      await desk.clear()
    })

    test('lists and calls', async () => {
      const { client } = await open()
      const tools = await all((params) => client.listTools(params), 'tools')
      assert.ok(tools.some((tool) => tool.name === 'read_file'))
      const result = await call(line, client, 'read_file', { path: 'notes.txt' })
      assert.equal(result.structuredContent.content, 'milk\nbread\n')
    })

    test('asks the person before it writes', async () => {
      const { client, seen } = await open({ asked: yes })
      const result = await call(line, client, 'write_file', { path: 'yes.txt', content: 'eggs\n' })
      assert.ok(!result.isError, text(result))
      assert.equal(seen.questions.length, 1)
      assert.equal(desk.read('yes.txt'), 'eggs\n')
      const denied = await open({ asked: no })
      assert.equal((await call(line, denied.client, 'write_file', { path: 'no.txt', content: '' })).isError, true)
      assert.equal(desk.has('no.txt'), false)
    })

    test('a wrong token and none are refused', async () => {
      await open()
      for (const token of ['wrong', undefined]) {
        const statuses = []
        await assert.rejects(open({}, { token, statuses }))
        assert.deepEqual(new Set(statuses), new Set([401]))
      }
    })

    test('another origin is refused', async () => {
      await open()
      const answer = await fetch(served.mcp_url, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${served.mcp_token}`,
          Origin: 'http://evil.example',
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'evil', version: '0' } },
        }),
      })
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`)
    })
  })
}
