import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import type { LocalDiscord } from 'local-discord';

/** How all ids of a local Discord begin, and how those of the second one do for the bot. */
const ownPrefix = '119000000000000';
const secondPrefix = '219000000000000';

/** The id by which a bot knows something of the second local Discord. */
export function idInSecond(id: string): string {
  return id.replace(ownPrefix, secondPrefix);
}

/**
 * One Discord with two guilds, of which each is a local Discord: a bot is connected to the gateway of the first one, and
 * requests about the second guild are passed on to the second one. Returns the URL of the API.
 */
export async function joinGuilds(first: LocalDiscord, second: LocalDiscord): Promise<string> {
  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers, url: path = '' } = request;
    const isOfSecond = path.includes(secondPrefix);
    const target = new URL(isOfSecond ? second.apiUrl : first.apiUrl);
    const body = await read(request);
    const { host: _, 'content-length': __, ...others } = headers;
    const authorization = isOfSecond ? `Bot ${second.token}` : headers.authorization;
    const forwarded = httpRequest({
      ...{ host: target.hostname, port: target.port, method },
      path: path.replaceAll(secondPrefix, ownPrefix),
      headers: { ...others, ...(authorization !== undefined && { authorization }), 'content-length': body.length },
    });
    forwarded.end(body);
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
    const content = await read(answer);
    const shown = isOfSecond ? content.toString().replaceAll(ownPrefix, secondPrefix) : content;
    const { 'content-length': ___, 'transfer-encoding': ____, ...answerHeaders } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answerHeaders).end(shown);
  }

  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
