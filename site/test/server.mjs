/* A server of files for the tests: GET and HEAD under a folder. */
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript",
  ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json" };

export async function serve(folder) {
  const server = createServer(async (request, response) => {
    try {
      let path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
      if ((await stat(join(folder, path))).isDirectory()) {
        if (!path.endsWith("/")) {
          response.writeHead(301, { location: `${path}/` }).end();
          return;
        }
        path = join(path, "index.html");
      }
      const body = await readFile(join(folder, path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end("not found");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
