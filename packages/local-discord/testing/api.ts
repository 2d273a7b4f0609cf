import { type Json, localDiscord, rest } from './local.ts';

/** The first error at a path of an "Invalid Form Body" response. */
export function faultAt(json: Json, ...path: (string | number)[]): unknown {
  const field = path.reduce<Json | undefined>((node, step) => node?.[step], json['errors']);
  return field?.['_errors']?.[0]?.['code'];
}

export async function withApi(options: Parameters<typeof localDiscord>[0] = {}) {
  const discord = await localDiscord({ rateLimits: false, ...options });
  const ask = rest(discord);
  const { announcements } = discord.channels;
  return {
    discord,
    ask,
    announcements,
    send: (body: unknown) => ask('POST', `/channels/${announcements}/messages`, body),
  };
}
