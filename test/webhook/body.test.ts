import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { maxBodyBytes, readBody } from '../../src/webhook/body.ts';
import { DirectRequest } from '../../src/webhook/direct-request.ts';
import { answersIn, rawConnection } from '../support/raw-http.ts';

/** A server that answers each request with what was read of it. */
async function reading(Request: typeof IncomingMessage, before?: (request: IncomingMessage) => Promise<unknown>) {
  const read: string[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Without a wait: in the next turn some of the body may have come.
    if (before !== undefined) await before(request);
    const body = await readBody(request);
    read.push(Buffer.isBuffer(body) ? body.toString('hex') : body);
    response.end(read.at(-1));
    request.resume();
  }
  const server = createServer({ IncomingMessage: Request }, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { read, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
const hex = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('hex');

/** The request of a body in pieces: with its length, or in chunks. */
function framed(pieces: readonly Uint8Array[], chunked: boolean): Uint8Array[] {
  if (!chunked) return [Buffer.from(`${head}Content-Length: ${Buffer.concat(pieces).length}\r\n\r\n`), ...pieces];
  const chunks = pieces.filter(({ length }) => length > 0);
  return [
    Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
    ...chunks.map((piece) =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    ),
    Buffer.from('0\r\n\r\n'),
  ];
}

describe.each([
  ['as a stream', IncomingMessage],
  ['directly', DirectRequest],
])('a body that comes %s', (_, Request) => {
  it('is read whole, in whatever pieces it comes, one after another and all at once', async () => {
    const { url } = await reading(Request);
    const body = fc.tuple(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 5 }), fc.boolean(), async (bodies, atOnce) => {
        const connection = rawConnection(url);
        const parts = bodies.flatMap(([pieces, chunked]) => framed(pieces, chunked));
        if (atOnce) connection.write(Buffer.concat(parts));
        else
          for (const part of parts) await new Promise((resolve) => setImmediate(() => resolve(connection.write(part))));
        connection.end();
        expect(answersIn(await connection.closed).map((answer) => answer.body)).toEqual(
          bodies.map(([pieces]) => hex(Buffer.concat(pieces))),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('is told to be too large while it still comes, and the next request on the connection is read', async () => {
    const { url } = await reading(Request);
    const connection = rawConnection(url);
    const [begin, piece, end] = framed([Buffer.alloc(maxBodyBytes + 1)], true);
    connection.write(Buffer.concat([begin ?? '', piece ?? ''] as Uint8Array[]));
    await connection.answered(/too large/);
    connection.write(Buffer.concat([piece, end, ...framed([Buffer.from('next')], false)] as Uint8Array[]));
    await connection.answered(new RegExp(hex('next')));
  });

  it('may be as large as the limit', async () => {
    const { url } = await reading(Request);
    const connection = rawConnection(url);
    for (const part of framed([Buffer.alloc(maxBodyBytes - 1), Buffer.alloc(1)], true)) connection.write(part);
    connection.end();
    expect(answersIn(await connection.closed)).toMatchObject([{ body: '00'.repeat(maxBodyBytes) }]);
  });

  it('is told to be broken off when its sender goes', async () => {
    const { url, read } = await reading(Request);
    const connection = rawConnection(url);
    connection.write(`${head}Content-Length: 10\r\n\r\nhalf`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    connection.destroy();
    await vi.waitFor(() => expect(read).toEqual(['aborted']));
  });

  it.each(['half', 'a body that came whole'])(
    'is told to be broken off when its sender went before anybody asked (%s)',
    async (sent) => {
      const { url, read } = await reading(Request, async (request) => {
        await new Promise((resolve) => request.on('close', resolve));
        await turn();
      });
      const connection = rawConnection(url);
      connection.write(`${head}Content-Length: 22\r\n\r\n${sent}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      connection.destroy();
      await vi.waitFor(() => expect(read).toEqual(['aborted']));
    },
  );

  it('is still read when it was there before anybody asked', async () => {
    const { url } = await reading(Request, () => new Promise((resolve) => setTimeout(resolve, 20)));
    const connection = rawConnection(url);
    connection.write(`${head}Content-Length: 4\r\n\r\nlate`);
    await connection.answered(new RegExp(hex('late')));
  });

  it('is told to be consumed where somebody else has read it', async () => {
    const { url } = await reading(Request, async (request) => {
      for await (const _chunk of request);
    });
    const connection = rawConnection(url);
    connection.write(`${head}Content-Length: 4\r\n\r\ngone`);
    await connection.answered(/consumed/);
  });
});
