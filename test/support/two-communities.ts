import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import type { TextOverrides } from '../../src/texts/texts.ts';
import { sign } from '../../src/webhook/signature.ts';
import { environmentWith, harbour } from './listings-file.ts';
import { localDiscord } from './local-discord.ts';
import { newSqliteUrl } from './new-sqlite.ts';
import { startApp } from './start-app.ts';
import { idInSecond, joinGuilds } from './two-guilds.ts';

const publicUrl = 'http://votes.example';
export const ownerToken = 'owner-token-of-tests';
/** An address for events of the first community. */
export const endpointUrl = 'http://localhost:59999/secret-path';
const secrets = { harbour: 'secret-of-the-harbour', bees: 'secret-of-the-bees' };

/** A PNG of one pixel: the picture of the first guild, and of Tomás. */
export const dot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwACggF/yWn3aQAAAABJRU5ErkJggg==';
const [presetGuildId, tomasId] = ['1190000000000000001', '1190000000000000012'];

type Changes = Record<string, string>;

/**
 * A bot in two guilds with a listing each. Mira owns the first one, and is a member of the second one, which Aiko owns.
 * @param changes of the environment
 */
export async function startTwoCommunities(
  changes: Changes | ((guilds: { readonly harbour: string; readonly bees: string }) => Changes) = {},
  texts?: TextOverrides,
) {
  const first = await localDiscord({ rateLimits: false, pictures: { [presetGuildId]: dot, [tomasId]: dot } });
  const [mira, tomas, aiko] = first.members;
  if (mira === undefined || tomas === undefined || aiko === undefined) throw new Error('no members');
  const second = await localDiscord({ rateLimits: false, people: [aiko, mira, tomas] });
  const clock = createOffsetClock();
  const guilds = { harbour: first.guildId, bees: idInSecond(second.guildId) };
  const environment: Record<string, string> = {
    ...environmentWith([
      {
        ...{ ...harbour, guildId: guilds.harbour, voteSecrets: [secrets.harbour], announceChannelId: '1' },
        // Nothing listens there.
        webhooks: [{ url: endpointUrl, secrets: ['secret-of-the-endpoint'], events: ['webhook.test'] }],
      },
      {
        ...{ ...harbour, name: 'bees', id: '2000', lookupKey: 'key-of-the-bees', guildId: guilds.bees },
        ...{ voteSecrets: [secrets.bees], announceChannelId: '2' },
      },
    ]),
    ...{ DISCORD_TOKEN: first.token, DISCORD_API_URL: await joinGuilds(first, second), PUBLIC_URL: publicUrl },
    ...{ DISCORD_CLIENT_SECRET: first.clientSecret, OWNER_TOKEN: ownerToken, PORT: '0' },
    WEBHOOK_PRIVATE_TARGETS: 'on',
    ...{ LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1', CACHE_URL: 'memory:', DATABASE_URL: newSqliteUrl() },
    ...(typeof changes === 'function' ? changes(guilds) : changes),
  };
  for (const [name, value] of Object.entries(environment)) if (value === '') delete environment[name];
  const lines: string[] = [];

  const start = async () => (await startApp(environment, { clock, ...(texts && { texts }) }, lines)).url;
  const url = await start();

  async function post(name: keyof typeof secrets, delivery: object) {
    const body = JSON.stringify({ timestamp: new Date(clock.now()).toISOString(), ...delivery });
    const headers = { 'x-webhook-signature': sign(body, secrets[name]) };
    const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', body, headers });
    return (await response.json()) as { outcome: string };
  }

  return { url, start, first, second, mira, tomas, aiko, guilds, clock, lines, post, openBrowser };

  /** A browser that keeps cookies by name, and reaches the program as `publicUrl`. */
  function openBrowser(at = url) {
    const cookies = new Map<string, string>();

    async function open(address: string, init: RequestInit = {}) {
      const absolute = address.startsWith('http') ? address : `${publicUrl}/owner/${address}`;
      const response = await fetch(absolute.replace(publicUrl, at), {
        redirect: 'manual',
        ...init,
        headers: {
          cookie: [...cookies].map((each) => each.join('=')).join('; '),
          'x-forwarded-host': 'votes.example',
          ...Object.fromEntries(new Headers(init.headers)),
        },
      });
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split(';', 1)[0]?.split('=') ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get('location') ?? '';
      return { status: response.status, headers: response.headers, location, text: await response.text() };
    }

    /** Sends a form as a page of the console does. */
    const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      open(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
      });

    return {
      open,
      send,
      cookies,
      /** The CSRF token of the session. */
      async formToken(path: string) {
        return /name="token" value="([^"]+)"/.exec((await open(path)).text)?.[1] ?? '';
      },
      /** Up to Discord's redirect back, which is returned. */
      async consent(userId: string, decision: 'authorize' | 'cancel' = 'authorize') {
        const start = await open('discord-sign-in?next=deliveries&moved=1');
        const consented = await fetch(start.location, {
          method: 'POST',
          body: new URLSearchParams({ user: userId, decision }),
          redirect: 'manual',
        });
        return consented.headers.get('location') ?? '';
      },
      async signIn(userId: string) {
        return open(await this.consent(userId));
      },
    };
  }
}
