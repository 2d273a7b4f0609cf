/**
 * Discord's side, in a process of its own: signs interactions in advance, then sends them over connections that stay open,
 * each the next one when the last was answered.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createSigningKey } from '../../packages/local-discord/src/outgoing-interactions.ts';
import { serveParent } from '../process/child-server.ts';
import { percentile } from '../samples.ts';
import { memberId } from './members.ts';

/** What to send, and where: each interaction to one of the ports in turn. */
export interface InteractionLoad {
  readonly ports: readonly number[];
  readonly connections: number;
  readonly count: number;
  /** Number of the first interaction: each has an id of its own. */
  readonly first: number;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  /** Used in turns. */
  readonly commands: readonly { readonly id: string; readonly name: string }[];
}

/** Latencies in ms. `wrong` are the responses without a message. */
export interface InteractionResult {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly wrong: readonly string[];
}

/** Discord's type of a response that is a message. */
const messageType = 4;
const key = createSigningKey();

serveParent({ publicKey: () => key.publicKey, send });

async function send(load: InteractionLoad): Promise<InteractionResult> {
  const requests = Array.from({ length: load.count }, (_, number) => signed(load, load.first + number));
  const agents = load.ports.map(() => new Agent({ keepAlive: true, maxSockets: load.connections }));
  const latencies: number[] = [];
  let next = 0;
  const wrong: string[] = [];
  const connection = async () => {
    for (let number = next++; number < load.count; number = next++) {
      const server = number % load.ports.length;
      const sentAt = performance.now();
      const response = await post(requests[number], load.ports[server], agents[server]);
      latencies.push(performance.now() - sentAt);
      if (JSON.parse(response || '{}').type !== messageType) wrong.push(response);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: load.connections }, connection));
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const agent of agents) agent.destroy();
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(latencies, share));
  return { rate: load.count / seconds, p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0, wrong };
}

function signed(load: InteractionLoad, number: number) {
  const body = JSON.stringify(interaction(load, number));
  return { body, headers: { ...key.headersFor(body, Date.now()), 'content-length': Buffer.byteLength(body) } };
}

function interaction({ applicationId, guildId, channelId, commands }: InteractionLoad, number: number) {
  const id = String(900_000_000_000_000_000n + BigInt(number));
  const user = {
    id: memberId(number),
    username: `member_${number}`,
    discriminator: '0',
    global_name: null,
    avatar: null,
  };
  return {
    id,
    application_id: applicationId,
    type: 2,
    token: `token-${id}`,
    version: 1,
    guild_id: guildId,
    guild: { id: guildId, locale: 'en-US', features: [] },
    guild_locale: 'en-US',
    locale: 'en-US',
    channel_id: channelId,
    channel: { id: channelId, type: 0, guild_id: guildId, name: 'general' },
    member: {
      user,
      roles: [],
      permissions: '2048',
      joined_at: '2024-01-01T00:00:00.000Z',
      deaf: false,
      mute: false,
      flags: 0,
    },
    app_permissions: '2048',
    context: 0,
    entitlements: [],
    attachment_size_limit: 10 * 1024 * 1024,
    authorizing_integration_owners: { '0': guildId },
    data: { ...commands[number % commands.length], type: 1 },
  };
}

type Signed = ReturnType<typeof signed>;

function post(signed: Signed | undefined, port: number | undefined, agent: Agent | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/interactions', method: 'POST', agent, headers: signed?.headers };
    const sent = request(options, (response: IncomingMessage) => void text(response).then(resolve, reject));
    sent.on('error', reject);
    sent.end(signed?.body);
  });
}
