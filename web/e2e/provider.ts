// A server on loopback that speaks as OpenAI does, as far as a set-up needs it.
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export class FakeProvider {
  private constructor(
    private readonly server: HttpServer,
    private readonly goodKey: string,
    private readonly models: readonly string[],
  ) {}

  /** The keys that were sent, in order. */
  readonly keys: string[] = [];
  /** What was asked of a model, as it was sent. */
  readonly bodies: string[] = [];
  private broken: string | null = null;

  /** From now on the connection is cut in the middle of every answer. */
  breakOffAfter(text: string): void {
    this.broken = text;
  }

  answerWell(): void {
    this.broken = null;
  }

  /** Without a key everybody may ask. */
  static async start(goodKey: string, models: readonly string[] = ["gpt-5-mini"]): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(server, goodKey, models);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => provider.answer(request, response));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return provider;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on("data", (data: Buffer) => pieces.push(data));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString();
      if (request.method === "POST") this.bodies.push(body);
      this.respond(request, response, body);
    });
  }

  private respond(request: IncomingMessage, response: ServerResponse, body: string): void {
    const key = request.headers.authorization?.replace("Bearer ", "") ?? "";
    this.keys.push(key);
    if (key !== this.goodKey) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Incorrect API key provided.", type: "invalid_request_error" } }));
      return;
    }
    if (request.url?.endsWith("/models") === true) {
      response.writeHead(200, { "content-type": "application/json" });
      const data = this.models.map((id) => ({ id, object: "model" }));
      response.end(JSON.stringify({ object: "list", data }));
      return;
    }
    const { model } = JSON.parse(body) as { model: string };
    if (!this.models.includes(model)) {
      response.writeHead(404, { "content-type": "application/json" });
      const message = `The model \`${model}\` does not exist or you do not have access to it.`;
      response.end(JSON.stringify({ error: { message, type: "invalid_request_error", code: "model_not_found" } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = (delta: unknown, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    if (this.broken !== null) {
      response.write(piece({ role: "assistant", content: this.broken }, null), () => response.socket?.destroy());
      return;
    }
    response.end(`${piece({ role: "assistant", content: "Yes." }, null)}${piece({}, "stop")}data: [DONE]\n\n`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
