import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { HttpError, handleErrors } from '../../../src/platform/web/http-error.ts';

it('sends errors that nobody caches, also after a route has set the headers of its own response', async () => {
  const app = express();
  app.get('/', (_request, response) => {
    response.set({ 'cache-control': 'public, max-age=600', etag: '"of-the-picture"' });
    throw new HttpError(503, 'Too many pictures are being drawn.');
  });
  app.use(
    handleErrors({
      unexpected: new HttpError(500, 'unexpected'),
      log: createLog({ level: 'silent', secrets: [] }),
      logMessage: 'a request failed',
      send: ({ message }, _request, response) => void response.type('text').end(message),
    }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(response.status).toBe(503);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('etag')).toBeNull();
});
