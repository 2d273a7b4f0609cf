import { createPublicKey, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '@tallyhook/platform/testing/serve';
import { expect, it } from 'vitest';
import type { LocalDiscord } from '../src/local-discord.ts';
import { localDiscord, rest } from '../testing/local.ts';

/** A Discord with the command `/vote`, which sends interactions to an endpoint. It answers with `respond`. */
async function withEndpoint(respond: () => Response) {
  const discord = await localDiscord();
  const commands = [{ name: 'vote', description: 'Votes.' }];
  await rest(discord)('PUT', `/applications/${discord.applicationId}/commands`, commands);
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (!isSigned(discord, body, request.headers)) return void response.writeHead(401).end();
    const answer = JSON.parse(body).type === 1 ? Response.json({ type: 1 }) : respond();
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
  const endpoint = await serve((request, response) => void handle(request, response));
  return { discord, endpoint };
}

function isSigned({ publicKey }: LocalDiscord, body: string, headers: NodeJS.Dict<string | string[]>): boolean {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signature = Buffer.from(String(headers['x-signature-ed25519']), 'hex');
  return verify(null, Buffer.from(headers['x-signature-timestamp'] + body), key, signature);
}

it('may respond with a form that contains files', async () => {
  const form = new FormData();
  form.set('payload_json', JSON.stringify({ type: 4, data: { content: 'See' } }));
  form.set('files[0]', new Blob(['High water']), 'tide.txt');
  const { discord, endpoint } = await withEndpoint(() => new Response(form));
  await discord.setInteractionsEndpoint(endpoint);
  const [member] = discord.members;
  const used = discord.runCommand({ name: 'vote', userId: member?.id ?? '', channelId: discord.channels.general });
  const { content, attachments } = await used.settled;
  expect([content, attachments.map(({ filename }) => filename)]).toEqual(['See', ['tide.txt']]);
});

it('is used once it has answered a signed PING, until it is removed', async () => {
  const { discord, endpoint } = await withEndpoint(() => Response.json({}));
  await expect(discord.setInteractionsEndpoint(`${endpoint.replace(/:\d+$/, ':1')}/`)).rejects.toMatchObject({
    code: 'discord_refusal',
  });
  expect(discord.interactionsEndpoint).toBe(null);
  await discord.setInteractionsEndpoint(endpoint);
  expect(discord.interactionsEndpoint).toBe(endpoint);
  await discord.setInteractionsEndpoint(null);
  expect(discord.interactionsEndpoint).toBe(null);
});
