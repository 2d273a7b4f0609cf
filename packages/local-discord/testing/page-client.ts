import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** An event of the page's stream. */
export interface News {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Reads the page's stream; `next` waits for a matching event. */
export async function follow(origin: string) {
  const opened = request(`${origin}/page/events`).end();
  onTestFinished(() => void opened.destroy());
  opened.on('error', () => {});
  const [response] = await once(opened, 'response');
  response.on('error', () => {});
  const lines = createInterface({ input: response });
  lines.on('error', () => {});
  const told: News[] = [];
  const arrived = new EventEmitter();
  lines.on('line', (line) => {
    if (!line.startsWith('data: ')) return;
    told.push(JSON.parse(line.slice(6)));
    arrived.emit('news');
  });
  return async (matches: (news: News) => boolean): Promise<News> => {
    for (;;) {
      const found = told.find(matches);
      if (found !== undefined) return found;
      await once(arrived, 'news');
    }
  };
}

/** A request with arbitrary headers, which fetch does not allow. */
export async function ask(
  origin: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { method = 'GET', headers = {}, body } = options;
  const asked = request(origin + path, { method, headers }).end(body);
  const [response] = await once(asked, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** A POST request as the page sends it. */
export function post(origin: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  const own = { origin, 'content-type': 'application/json' };
  return ask(origin, path, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) });
}
