// The conformance suite sends no token. This stands before the server and adds it; everything else, a foreign Host or
// Origin above all, goes through as it came, so that the server's own door is what is tested.
import { createServer, request } from 'node:http'

/** Where to send what is meant for `served`: `{mcp_url, close}`. */
export async function withToken(served) {
  const target = new URL(served.mcp_url)
  let own
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${served.mcp_token}` }
    // Only our own name stands for the server's.
    if (headers.host === own) headers.host = target.host
    if (headers.origin === `http://${own}`) headers.origin = target.origin
    const onward = request(target, { method: asked.method, path: asked.url, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    // A client that goes away is seen to go by the server, too.
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  own = `127.0.0.1:${proxy.address().port}`
  const close = () => {
    proxy.closeAllConnections()
    proxy.close()
  }
  return { mcp_url: `http://${own}${target.pathname}`, close }
}
