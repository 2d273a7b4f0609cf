import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { z } from 'zod';

/** The protocol of docs/connect.md, from the bot's side. */

const timeoutMs = 20 * second;
const discoveryTimeoutMs = 5 * second;
/** How long the service's word is believed, and how soon it is asked again without one (ms). */
const discoveryKeptMs = 10 * minute;
const discoveryRetryMs = 1 * minute;
const maxResponseLength = 64 * 1024;

const endpoint = z.url({ protocol: /^https?$/ });
const discovery = z.object({
  version: z.literal(1),
  request_endpoint: endpoint,
  token_endpoint: endpoint,
  test_endpoint: endpoint,
});
export type ConnectEndpoints = z.infer<typeof discovery>;

const pushed = z.object({ consent_url: endpoint });
const secret = z.string().regex(/^[\x21-\x7e]{16,200}$/);
const granted = z.object({
  guild: z.string(),
  member: z.string(),
  listing: z.object({ kind: z.literal('server'), id: z.string() }),
  key: z.string().regex(/^[\x21-\x7e]{1,300}$/),
  webhooks: z.object({ vote: z.object({ url: z.string(), secret }), premium: z.object({ url: z.string(), secret }) }),
});
const tested = z.object({ delivered: z.boolean() });

/** What a bot asks for. */
export interface ConnectRequest {
  readonly name: string;
  readonly guild: string;
  readonly member: string;
  readonly redirect_uri: string;
  readonly state: string;
  readonly code_challenge: string;
  readonly webhooks: { readonly vote: string; readonly premium: string };
}

/** The service did not do its part. The message has neither code nor key. */
export class ConnectError extends Error {}

/** @param serviceUrl the address of the service's API */
export function createConnectClient(serviceUrl: string, options: { readonly now: () => number; readonly log: Log }) {
  const { now, log } = options;
  const service = new URL(serviceUrl);
  let known: { readonly until: number; readonly found: Promise<ConnectEndpoints | null> } | null = null;

  async function discover(): Promise<ConnectEndpoints | null> {
    const url = new URL('/.well-known/vote-connect', service);
    const signal = AbortSignal.timeout(discoveryTimeoutMs);
    const response = await fetch(url, { redirect: 'error', signal }).catch(() => null);
    if (response?.ok !== true) return null;
    const offered = discovery.safeParse(await readJson(response).catch(() => null));
    if (!offered.success) return null;
    // Keys and secrets go where the operator's own address leads, and never over a weaker connection.
    const isSafe = Object.values(offered.data).every(
      (value) => typeof value !== 'string' || service.protocol !== 'https:' || value.startsWith('https:'),
    );
    return isSafe ? offered.data : null;
  }

  /** What the service offers; null if it does not know the protocol, or does not respond. */
  async function endpoints(): Promise<ConnectEndpoints | null> {
    if (known !== null && known.until > now()) return known.found;
    const found = discover();
    known = { until: now() + discoveryRetryMs, found };
    const value = await found;
    if (value !== null) known = { until: now() + discoveryKeptMs, found };
    return value;
  }

  async function send<Schema extends z.ZodType>(
    name: keyof Omit<ConnectEndpoints, 'version'>,
    schema: Schema,
    { body, key }: { readonly body?: object; readonly key?: string },
  ): Promise<z.infer<Schema>> {
    const offered = await endpoints();
    if (offered === null) throw new ConnectError('the service does not offer to connect bots');
    try {
      const response = await fetch(offered[name], {
        method: 'POST',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const content = schema.safeParse(response.ok ? await readJson(response) : null);
      if (content.success) return content.data;
      throw new ConnectError(`${name}: the service responded with status ${response.status}`);
    } catch (error) {
      if (error instanceof ConnectError) throw error;
      log.debug({ reason: messageOf(error) }, 'a request to connect the bot failed');
      throw new ConnectError(`${name}: the service did not respond`);
    }
  }

  return {
    endpoints,
    /** Announces a request. Returns the service's page on which the owner decides; rejects with {@link ConnectError}. */
    async request(request: ConnectRequest): Promise<string> {
      const { consent_url: url } = await send('request_endpoint', pushed, { body: request });
      const offered = await endpoints();
      if (offered !== null && new URL(url).origin === new URL(offered.request_endpoint).origin) return url;
      throw new ConnectError('the page of the request is not one of the service');
    },
    /** Exchanges a code for an API key and secrets; rejects with {@link ConnectError}. */
    exchange: (body: { readonly code: string; readonly code_verifier: string; readonly redirect_uri: string }) =>
      send('token_endpoint', granted, { body }),
    /** Has the service send its test. Returns whether it was delivered; rejects with {@link ConnectError}. */
    test: async (key: string): Promise<boolean> => (await send('test_endpoint', tested, { key })).delivered,
  };
}

export type ConnectClient = ReturnType<typeof createConnectClient>;

async function readJson(response: Response): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxResponseLength) throw new ConnectError('the response is too long');
  }
  return JSON.parse(text + decoder.decode());
}
