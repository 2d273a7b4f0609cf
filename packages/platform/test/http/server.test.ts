import type { RequestListener, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpServer, type HttpLimits } from '../../src/http/server.ts';
import { eventually } from '../../testing/eventually.ts';
import { parseResponses, rawConnection } from '../../testing/raw-http.ts';

const readAll: RequestListener = (request, response) => {
  let size = 0;
  request.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => response.end(`read ${size}`));
};

async function served(listener: RequestListener = readAll, limits: Partial<HttpLimits> = {}): Promise<string> {
  const server = createHttpServer(listener, { connectionsCheckingInterval: 20, ...limits });
  const { url } = await server.listen('127.0.0.1', 0);
  onTestFinished(() => server.close());
  return url;
}

const post = 'POST / HTTP/1.1\r\nHost: x\r\n';
const refusal = { success: false, error: expect.any(String) };

describe('a request that the HTTP parser rejects', () => {
  it.each([
    ['is not HTTP', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03hello\r\n\r\n'],
    ['has an unknown method', 400, 'VOTE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['has a header without a colon', 400, `${post}nonsense\r\n\r\n`],
    ['has a header with a NUL', 400, `${post}a: b\0c\r\n\r\n`],
    ['folds a header', 400, `${post}a: b\r\n c\r\n\r\n`],
    ['has two different lengths', 400, `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'has both a length and chunks (request smuggling)',
      400,
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['has a negative length', 400, `${post}Content-Length: -1\r\n\r\n`],
    ['has a length that is too large for a number', 400, `${post}Content-Length: 99999999999999999999999\r\n\r\n`],
    ['has a chunk size that is not a number', 400, `${post}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`],
    ['has a chunk with an endless extension', 413, `${post}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`],
    ['has headers that are too large', 431, `${post}a: ${'x'.repeat(100_000)}\r\n\r\n`],
    [
      'has too many headers',
      431,
      `${post}${Array.from({ length: 9_000 }, (_, place) => `a${place}: b\r\n`).join('')}\r\n`,
    ],
    ['has a URL that is too long', 431, `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['is a CONNECT', 400, 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('gets our JSON error if it %s', async (_what, status, bytes) => {
    const { write, closed } = rawConnection(await served());
    write(Buffer.from(bytes, 'latin1'));
    const answers = parseResponses(await closed);
    expect(answers).toMatchObject([{ status, head: expect.stringContaining('Connection: close') }]);
    expect(JSON.parse(answers[0]?.body ?? '')).toEqual(refusal);
  });

  it('gets one response if its first part was rejected already', async () => {
    const url = await served((_request, response) => {
      response.writeHead(413, { 'content-length': 0 }).end();
    });
    const { write, closed, waitForResponse } = rawConnection(url);
    write(`${post}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
    await waitForResponse(/413/);
    write('nonsense\r\n');
    expect(parseResponses(await closed)).toHaveLength(1);
  });

  it('does not affect the response to the previous request', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const url = await served((_request, response) => void released.then(() => response.end('committed')));
    const { write, closed } = rawConnection(url);
    write(`${post}Content-Length: 1\r\n\r\na`);
    write('nonsense\r\n\r\n');
    setImmediate(release);
    expect(parseResponses(await closed)).toMatchObject([{ status: 200, body: 'committed' }, { status: 400 }]);
  });
});

describe('a slow client', () => {
  it('gets a 408 if its headers take too long', async () => {
    const { write, closed } = rawConnection(await served(readAll, { headersTimeout: 100, requestTimeout: 10_000 }));
    write('POST / HTTP/1.1\r\nHo');
    expect(parseResponses(await closed)).toMatchObject([
      { status: 408, body: expect.stringContaining('"success":false') },
    ]);
  });

  it('gets a 408 if it sends nothing', async () => {
    const { closed } = rawConnection(await served(readAll, { headersTimeout: 100, requestTimeout: 10_000 }));
    expect(parseResponses(await closed)).toMatchObject([{ status: 408 }]);
  });

  it('gets a 408 if its body takes too long', async () => {
    const { write, closed } = rawConnection(await served(readAll, { headersTimeout: 100, requestTimeout: 200 }));
    write(`${post}Content-Length: 10\r\n\r\n12345`);
    expect(parseResponses(await closed)).toMatchObject([
      { status: 408, body: expect.stringContaining('"success":false') },
    ]);
  });
});

describe('an unusual client', () => {
  it('gets its response although it half-closed the connection', async () => {
    const { write, end, closed } = rawConnection(await served());
    write(`${post}Content-Length: 3\r\n\r\nabc`);
    end();
    expect(parseResponses(await closed)).toMatchObject([{ status: 200 }]);
  });

  it('gets its response although it half-closed the connection long before', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const url = await served((_request, response) => void released.then(() => response.end('committed')));
    const { write, end, closed } = rawConnection(url);
    write(`${post}Content-Length: 3\r\n\r\nabc`);
    end();
    setTimeout(release, 100);
    const [answer] = parseResponses(await closed);
    expect(answer).toMatchObject({ status: 200, body: 'committed' });
  });

  it('gets a 400 if it half-closes the connection within a body', async () => {
    const { write, end, closed } = rawConnection(await served());
    write(`${post}Content-Length: 3\r\n\r\na`);
    end();
    expect(parseResponses(await closed)).toMatchObject([{ status: 400 }]);
  });

  it.each([
    ['no Host header', 'POST / HTTP/1.1\r\n'],
    ['an unknown Expect header', `${post}Expect: cake\r\n`],
    ['an Upgrade header', `${post}Connection: upgrade\r\nUpgrade: h2c\r\n`],
  ])('is served although it sends %s', async (_what, head) => {
    const { write, waitForResponse } = rawConnection(await served());
    write(`${head}Content-Length: 3\r\n\r\nabc`);
    expect(parseResponses(await waitForResponse(/read 3/))).toMatchObject([{ status: 200, body: 'read 3' }]);
  });
});

describe('more connections than the maximum', () => {
  it('close idle ones', async () => {
    const url = await served(readAll, { maxConnections: 2 });
    const idle = [rawConnection(url), rawConnection(url)];
    for (const { write, waitForResponse } of idle) {
      write(`${post}Content-Length: 1\r\n\r\na`);
      await waitForResponse(/read 1/);
    }
    expect(await rawConnection(url).closed).toBe('');
    await Promise.all(idle.map(({ closed }) => closed));
    expect(await (await fetch(url, { method: 'POST', body: 'abc' })).text()).toBe('read 3');
  });
});

describe('a server that is closed', () => {
  it('end a connection after the requests that it still sends', async () => {
    const requests: ServerResponse[] = [];
    const server = createHttpServer((_request, response) => void requests.push(response));
    const { url } = await server.listen('127.0.0.1', 0);
    const { write, closed } = rawConnection(url);
    write('GET / HTTP/1.1\r\n\r\n');
    await eventually(() => expect(requests).toHaveLength(1));
    const stopped = server.close();
    write('GET / HTTP/1.1\r\n\r\n');
    await eventually(() => expect(requests).toHaveLength(2));
    for (const response of requests) response.end('answer');
    const [, last] = parseResponses(await closed);
    expect(last).toMatchObject({ body: 'answer', head: expect.stringContaining('Connection: close') });
    await stopped;
  });

  it('while it starts to listen does not listen afterwards', async () => {
    const server = createHttpServer(readAll);
    const opening = server.listen('localhost', 0);
    await server.close();
    const { url } = await opening;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('before it listens closes immediately', async () => {
    const closed = createHttpServer(readAll)
      .close()
      .then(() => 'closed');
    expect(await Promise.race([closed, turn('still closing')])).toBe('closed');
  });
});
