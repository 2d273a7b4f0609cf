import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/log.ts';
import { HttpError, handleErrors } from '../../src/web/http-error.ts';

async function listen(unexpected: HttpError, handler: express.RequestHandler): Promise<string> {
  const app = express();
  app.get('/', handler);
  app.use(
    handleErrors({
      unexpected,
      log: createLog({ level: 'silent', secrets: [] }),
      logMessage: 'a request failed',
      send: ({ message }, _request, response) => void response.type('text').end(message),
    }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('sends errors that nobody caches, also after a route has set the headers of its own response', async () => {
  const url = await listen(new HttpError(500, 'unexpected'), (_request, response) => {
    response.set({ 'cache-control': 'public, max-age=600', etag: '"of-the-picture"' });
    throw new HttpError(503, 'Too many pictures are being drawn.');
  });
  const response = await fetch(url);
  expect(response.status).toBe(503);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('etag')).toBeNull();
});

it.each([
  ['the database', Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' }), 503],
  ['what a request reaches', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }), 503],
  ['a page', new RangeError('Invalid time value'), 500],
])('blames the database only for what is not an error of the program: %s', async (_name, thrown, status) => {
  const unavailable = new HttpError(503, 'The database is unavailable.', 5);
  const response = await fetch(
    await listen(unavailable, () => {
      throw thrown;
    }),
  );
  expect(response.status).toBe(status);
  expect(response.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
  expect((await response.text()).includes('database')).toBe(status === 503);
});
