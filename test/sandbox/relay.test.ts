import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import { running } from 'listing-service/testing/running';
import { expect, it, onTestFinished } from 'vitest';
import { startRelay } from '../../src/sandbox/listing-service.ts';

it('resets open and new connections while it is down', async () => {
  const { service } = await running();
  const relay = await startRelay('127.0.0.1', 0);
  onTestFinished(() => relay.stop());
  relay.setTarget(service.port);
  const open = rawConnection(relay.url);
  open.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await open.waitForResponse(/^HTTP\/1\.1 200 OK/);
  relay.setDown(true);
  await open.closed;
  expect(await rawConnection(relay.url).closed).toBe('');
  relay.setDown(false);
  const { write, waitForResponse } = rawConnection(relay.url);
  write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await waitForResponse(/^HTTP\/1\.1 200 OK/);
});

it('forwards the response to a client that half-closes its connection after the request', async () => {
  const { service } = await running();
  const relay = await startRelay('127.0.0.1', 0);
  onTestFinished(() => relay.stop());
  relay.setTarget(service.port);
  const { write, end, closed } = rawConnection(relay.url);
  write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  end();
  expect((await closed).slice(0, 15)).toBe('HTTP/1.1 200 OK');
});
