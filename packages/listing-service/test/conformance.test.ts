import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../src/api/openapi.ts';
import { serviceCommand } from '../src/cli/service-command.ts';
import { type ConformanceResult, runConformance } from '../src/conformance/suite.ts';
import { withDate, withoutWaiting } from '../testing/leaping-clock.ts';
import { ask, mira, running, serverId, tobias } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';

async function collect(results: AsyncIterable<ConformanceResult>): Promise<ConformanceResult[]> {
  const all: ConformanceResult[] = [];
  for await (const finding of results) all.push(finding);
  return all;
}

test('every check holds for the service', async () => {
  const { service, keys, clock } = await running();
  await service.castVote({ listingId: serverId, ...mira });
  for (let user = 1; user <= 20; user += 1) {
    await service.addReview({ listingId: serverId, userId: `${user}`, username: `u${user}`, rating: 3, comment: 'ok' });
  }
  const suiteClock = withoutWaiting(withDate(clock));
  const suite = { baseUrl: service.baseUrl, keys, votedUser: mira.userId, choices: true, clock: suiteClock };
  const all = await collect(runConformance(suite));
  expect(all.filter(({ outcome }) => outcome !== 'holds')).toEqual([]);
  expect(all.length).toBeGreaterThan(75);
});

test('the command prints every result and a summary, and no key', async () => {
  const { service, keys, clock } = await running();
  const { terminal, output } = captive();
  const args = ['--base-url', service.baseUrl, '--server-key', keys.server, '--skip-rate-limit'];
  expect(await serviceCommand(['conformance', ...args], terminal, clock)).toBe(0);
  expect(output()).toContain('holds    5.4     GET /server rejects a missing key with 401');
  expect(output()).toContain('skipped  2, 4    GET /bot with a bot key returns the success envelope');
  expect(output()).toMatch(/\d+ hold, 0 fail, \d+ skipped$/);
  expect(output()).not.toContain(keys.server);
});

test('keys may be read from the input, and invalid usage is exit code 2', async () => {
  const { service, keys, clock } = await running();
  const input = new PassThrough();
  input.end(`${keys.bot}\n`);
  const { terminal, output } = captive(input);
  const args = ['--base-url', service.baseUrl, '--bot-key-file', '-', '--skip-rate-limit'];
  expect(await serviceCommand(['conformance', ...args], terminal, clock)).toBe(0);
  expect(output()).toContain('holds    2, 4    GET /bot with a bot key');
  expect(await serviceCommand(['conformance', '--base-url', 'nowhere'], terminal)).toBe(2);
  expect(await serviceCommand(['conformance', '--wrong'], terminal)).toBe(2);
  expect(await serviceCommand(['conformance', '--help'], terminal)).toBe(0);
});

test('deviations from the document fail, and deviations from a choice only differ', async () => {
  const { clock } = await running();
  const wrong = createServer((request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers['x-api-key'] === undefined) return json(403, { success: false, error: 'no' });
    if (request.url === '/bot') return json(200, { success: true, data: { id: 7 }, meta: {} });
    if (request.url?.startsWith('/votes/')) return json(200, { success: true, data: { canVote: true } });
    return json(404, { message: 'nothing' });
  });
  await new Promise<void>((resolve) => wrong.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void wrong.close());
  const baseUrl = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`;
  const all = await collect(
    runConformance({ baseUrl, keys: { bot: 'k', server: 'k' }, skipRateLimit: true, choices: true, clock }),
  );
  const outcome = (line: string) => all.find((finding) => finding.line.startsWith(line))?.outcome;
  expect(outcome('GET /bot with a bot key')).toBe('fails');
  expect(outcome('GET /bot has no meta')).toBe('fails');
  expect(outcome('GET /bot rejects a missing key')).toBe('fails');
  expect(outcome('GET /votes/{userId} with a bot key')).toBe('holds');
  expect(outcome("GET /votes/{userId} matches tallyhook's schema where the document does not define one")).toBe(
    'differs',
  );
  expect(outcome('an unknown path returns a failure in the envelope')).toBe('fails');
  expect(outcome('an unknown path returns 404')).toBe('holds');
});

test('the OpenAPI document is served without a key, as the code generates it', async () => {
  const { service } = await running();
  const { status, json } = await ask(`${service.url}/openapi.json`);
  expect(status).toBe(200);
  expect(json).toEqual(openApiDocument(service.baseUrl));
  expect(json).toMatchObject({
    openapi: '3.1.0',
    paths: {
      '/server': { get: { responses: { 200: {}, 400: {}, 401: {}, 429: {}, 500: {} } } },
      '/bot': {},
      '/votes/{userId}': { get: { parameters: [{ name: 'userId', in: 'path', required: true }] } },
      '/reviews': {
        get: {
          parameters: [
            { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, default: 10 } },
            { name: 'sort', in: 'query', schema: { enum: ['newest', 'highest', 'lowest'], default: 'newest' } },
          ],
        },
      },
    },
  });
});

test('the OpenAPI document is read-only, and only at its exact path', async () => {
  const { service } = await running();
  const posted = await ask(`${service.url}/openapi.json`, { method: 'POST' });
  expect(posted).toMatchObject({ status: 405, json: { success: false, error: expect.any(String) } });
  for (const path of ['/OpenAPI.json', '/openapi.json/']) expect((await ask(service.url + path)).status).toBe(404);
});

test('every reference in the OpenAPI document resolves, and its schemas accept the responses', async () => {
  const { service, keys, get } = await running();
  await service.castVote({ listingId: serverId, ...tobias });
  const document = openApiDocument(service.baseUrl);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  for (const reference of references) {
    const results = reference
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
    expect(results, reference).toBeDefined();
  }
  const { schemas } = document['components'] as { schemas: Record<string, z.core.JSONSchema.JSONSchema> };
  const accepts = (name: string, value: unknown) => z.fromJSONSchema(schemas[name] ?? false).parse(value);
  accepts('ServerProfile', (await get('/server', { 'X-API-Key': keys.server })).json['data']);
  accepts('VoteStatus', (await get(`/votes/${tobias.userId}`, { 'X-API-Key': keys.server })).json['data']);
  accepts('Failure', (await get('/server')).json);
});
