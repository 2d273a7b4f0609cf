import { createHttpApp } from '@tallyhook/platform/http/app';
import { BodyMemory } from '@tallyhook/platform/http/body';
import { createHealth } from '@tallyhook/platform/http/health';
import { createLog } from '@tallyhook/platform/log';
import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import express from 'express';
import { expect, it } from 'vitest';
import { serve } from '../support/start-receiver.ts';

const form = 'POST /owner/form HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';

async function startOwnerForms(memory: BodyMemory): Promise<string> {
  const log = createLog({ level: 'silent', secrets: [] });
  const owner = express().use(express.urlencoded({ extended: false, limit: '16kb' }));
  owner.post('/form', (request, response) => void response.json(request.body));
  const health = createHealth({ checks: {}, metrics: null, isStopping: () => false });
  return serve(createHttpApp({ health, owner, memory, log }));
}

it("an owner's unfinished form makes room for other bodies with 503", async () => {
  const memory = new BodyMemory(20_000);
  const url = await startOwnerForms(memory);
  const unfinished = rawConnection(url);
  unfinished.write(`${form}Content-Length: 10000\r\n\r\na=`);
  const chunked = rawConnection(url);
  await expect.poll(() => memory.used).toBe(10_000);
  chunked.write(`${form}Transfer-Encoding: chunked\r\n\r\n`);
  expect(await unfinished.closed).toMatch(/^HTTP\/1\.1 503 .*retry-after: \d+/is);
  chunked.write('3\r\na=1\r\n0\r\n\r\n');
  expect(await chunked.waitForResponse(/\{.*\}/)).toMatch(/200 OK.*\{"a":"1"\}/s);
  await expect.poll(() => memory.used).toBe(0);
});

it('requests without a body take no memory, and a large one no more than the parser accepts', async () => {
  const memory = new BodyMemory(16 * 1024);
  const url = await startOwnerForms(memory);
  expect((await fetch(`${url}/owner/form`)).status).toBe(404);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = (body: string) => fetch(`${url}/owner/form`, { method: 'POST', headers, body });
  expect((await post(`a=${'x'.repeat(20_000)}`)).status).toBeGreaterThanOrEqual(400);
  expect(await (await post('a=1')).json()).toEqual({ a: '1' });
  await expect.poll(() => memory.used).toBe(0);
});
