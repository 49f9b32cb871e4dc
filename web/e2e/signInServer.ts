// An MCP server over HTTP that wants somebody to sign in, and the authorization server beside it: on loopback, as small
// as a sign-in needs them.
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Reply = [status: number, value: object | null, headers?: Record<string, string>];

export class SignInServer {
  private constructor(private readonly server: HttpServer) {}

  static async start(): Promise<SignInServer> {
    const server = createServer();
    const one = new SignInServer(server);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => void one.answer(request, response));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return one;
  }

  private get base(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.base}/mcp`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const [status, value, headers = {}] = this.reply(request, Buffer.concat(parts).toString());
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(value === null ? undefined : JSON.stringify(value));
  }

  private reply(request: IncomingMessage, body: string): Reply {
    const url = new URL(request.url ?? "/", this.base);
    switch (url.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return [200, { resource: this.url, authorization_servers: [this.base] }];
      case "/.well-known/oauth-authorization-server":
        return [200, this.metadata()];
      case "/register": {
        const { redirect_uris } = JSON.parse(body) as { redirect_uris: string[] };
        return [201, { client_id: "the-client", client_secret: "a-client-secret", redirect_uris }];
      }
      case "/authorize": {
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "the-code");
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        return [302, null, { location: back.href }];
      }
      case "/token":
        return [200, { access_token: "the-access-token", token_type: "Bearer", expires_in: 3600, scope: "read" }];
      case "/mcp": {
        if (request.headers.authorization === "Bearer the-access-token") {
          return request.method === "POST" ? this.spoken(body) : [405, {}];
        }
        const pointer = `${this.base}/.well-known/oauth-protected-resource/mcp`;
        return [401, {}, { "www-authenticate": `Bearer scope="read", resource_metadata="${pointer}"` }];
      }
      default:
        return [404, {}];
    }
  }

  private metadata(): object {
    return {
      issuer: this.base,
      authorization_endpoint: `${this.base}/authorize`,
      token_endpoint: `${this.base}/token`,
      registration_endpoint: `${this.base}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
    };
  }

  /** What the MCP server says to a message. */
  private spoken(body: string): Reply {
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return [202, null];
    const result = (value: object): Reply => [200, { jsonrpc: "2.0", id, result: value }];
    switch (method) {
      case "initialize":
        return result({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "notes", version: "1" },
        });
      case "tools/list":
        return result({ tools: [{ name: "find_note", inputSchema: { type: "object" } }] });
      default:
        return [200, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }];
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
