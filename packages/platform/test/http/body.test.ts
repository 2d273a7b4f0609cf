import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BodyMemory, DirectRequest, readBody } from '../../src/http/body.ts';
import { maxBodyBytes } from '../../src/http/max-body-bytes.ts';
import { eventually } from '../../testing/eventually.ts';
import { parseResponses, rawConnection } from '../../testing/raw-http.ts';

/** A server that responds to each request with the result of `readBody`, and lists the results. */
async function startServer(
  Request: typeof IncomingMessage,
  before?: (request: IncomingMessage) => Promise<unknown>,
  memory = new BodyMemory(),
) {
  const results: string[] = [];
  const started: IncomingMessage[] = [];
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    started.push(request);
    // Without `before`, do not await: in the next turn of the event loop a part of the body may have arrived.
    if (before !== undefined) await before(request);
    const body = await readBody(request, memory);
    results.push(typeof body === 'string' ? body : body.bytes.toString('hex'));
    if (typeof body !== 'string') body.release();
    response.end(results.at(-1));
    request.resume();
  }
  const server = createServer({ IncomingMessage: Request }, (request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { results, started, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
const hex = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('hex');

/** The bytes of a request with this body, with a content length or chunked. */
function frame(pieces: readonly Uint8Array[], chunked: boolean): Uint8Array[] {
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
  ['a plain request', IncomingMessage],
  ['a direct request', DirectRequest],
])('the body of %s', (_, Request) => {
  it('is read completely, in any segmentation, with several requests on one connection', async () => {
    const { url } = await startServer(Request);
    const body = fc.tuple(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 5 }), fc.boolean(), async (bodies, atOnce) => {
        const connection = rawConnection(url);
        const parts = bodies.flatMap(([pieces, chunked]) => frame(pieces, chunked));
        if (atOnce) connection.write(Buffer.concat(parts));
        else
          for (const part of parts) await new Promise((resolve) => setImmediate(() => resolve(connection.write(part))));
        connection.end();
        expect(parseResponses(await connection.closed).map((answer) => answer.body)).toEqual(
          bodies.map(([pieces]) => hex(Buffer.concat(pieces))),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('is reported as too large before its end, and the next request on the connection is read', async () => {
    const { url } = await startServer(Request);
    const connection = rawConnection(url);
    const [begin, piece, end] = frame([Buffer.alloc(maxBodyBytes + 1)], true);
    connection.write(Buffer.concat([begin ?? '', piece ?? ''] as Uint8Array[]));
    await connection.waitForResponse(/too large/);
    connection.write(Buffer.concat([piece, end, ...frame([Buffer.from('next')], false)] as Uint8Array[]));
    await connection.waitForResponse(new RegExp(hex('next')));
  });

  it('is accepted at the size limit', async () => {
    const { url } = await startServer(Request);
    const connection = rawConnection(url);
    for (const part of frame([Buffer.alloc(maxBodyBytes - 1), Buffer.alloc(1)], true)) connection.write(part);
    connection.end();
    expect(parseResponses(await connection.closed)).toMatchObject([{ body: '00'.repeat(maxBodyBytes) }]);
  });

  it('is reported as aborted when the sender disconnects', async () => {
    const { url, results, started } = await startServer(Request);
    const connection = rawConnection(url);
    connection.write(`${head}Content-Length: 10\r\n\r\nhalf`);
    await eventually(() => expect(started).toHaveLength(1));
    connection.destroy();
    await eventually(() => expect(results).toEqual(['aborted']));
  });

  it.each(['half', 'the whole body arrived'])(
    'is reported as aborted when the sender disconnected before the read (%s)',
    async (text) => {
      const { url, results, started } = await startServer(Request, async (request) => {
        await new Promise((resolve) => request.on('close', resolve));
        await turn();
      });
      const connection = rawConnection(url);
      connection.write(`${head}Content-Length: 22\r\n\r\n${text}`);
      await eventually(() => expect(started).toHaveLength(1));
      connection.destroy();
      await eventually(() => expect(results).toEqual(['aborted']));
    },
  );

  it('is read when it arrived before the read', async () => {
    const { url } = await startServer(Request, () => new Promise((resolve) => setTimeout(resolve, 20)));
    const connection = rawConnection(url);
    connection.write(`${head}Content-Length: 4\r\n\r\nlate`);
    await connection.waitForResponse(new RegExp(hex('late')));
  });

  it('makes room for another body if it stays incomplete, and gives its memory back', async () => {
    const { url, results, started } = await startServer(Request, undefined, new BodyMemory(10));
    const unfinished = rawConnection(url);
    unfinished.write(`${head}Content-Length: 20\r\n\r\nhalf`);
    // Its first bytes are read in the same turn as its headers.
    await eventually(() => expect(started).toHaveLength(1));
    for (let round = 0; round < 3; round += 1) {
      const other = rawConnection(url);
      other.write(`${head}Content-Length: 8\r\n\r\ncomplete`);
      await other.waitForResponse(new RegExp(hex('complete')));
    }
    await unfinished.waitForResponse(/no memory/);
    expect(results).toEqual(['no memory', ...Array(3).fill(hex('complete'))]);
    // The rest is discarded, and the connection stays usable.
    unfinished.write(`${'x'.repeat(16)}${head}Content-Length: 4\r\n\r\nnext`);
    await unfinished.waitForResponse(new RegExp(hex('next')));
  });

  it('takes no more memory in thousands of chunks than in one', async () => {
    const { url } = await startServer(Request, undefined, new BodyMemory(2 * 4_096));
    const connection = rawConnection(url);
    const bytes = Buffer.from('abcdefgh'.repeat(512));
    connection.write(
      Buffer.concat(
        frame(
          [...bytes].map((byte) => Buffer.from([byte])),
          true,
        ),
      ),
    );
    connection.end();
    expect(parseResponses(await connection.closed)).toMatchObject([{ body: hex(bytes) }]);
  });

  it('is reported as consumed when the stream was read before', async () => {
    const { url } = await startServer(Request, async (request) => {
      for await (const _chunk of request);
    });
    const connection = rawConnection(url);
    connection.write(`${head}Content-Length: 4\r\n\r\ngone`);
    await connection.waitForResponse(/consumed/);
  });
});
