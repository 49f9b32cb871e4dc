// A small site on loopback that tools visit: a form, a page that thanks.
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

const STYLE =
  "<style>body{font:16px system-ui;margin:2rem auto;max-width:40rem}input,button{font:inherit;padding:.4rem .8rem}</style>";
const FRONT = `<!doctype html><title>A small shop</title>${STYLE}
<h1>A small shop</h1><ul><li>bread, 3.20</li><li>milk, 1.45</li><li>cheese, 7.90</li></ul>
<form action="/thanks"><label>What do you want? <input name="what"></label> <button>Order</button></form>`;

export class Shop {
  private constructor(private readonly server: HttpServer) {}

  /** What was ordered, in order. */
  readonly orders: string[] = [];

  /** On a port of its own, or on the one that is to be seen in a picture. */
  static async open(port = 0): Promise<Shop> {
    const server = createServer();
    const shop = new Shop(server);
    server.on("request", (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", shop.url);
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      if (pathname !== "/thanks") return response.end(FRONT);
      shop.orders.push(searchParams.get("what") ?? "");
      return response.end(`<!doctype html><title>Thanks</title>${STYLE}<h1>Thank you!</h1>`);
    });
    await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
    return shop;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
