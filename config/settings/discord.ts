import { botTokenForm, clientSecretForm, pasted } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { expectedId, group, guildId, httpUrl, setting } from './setting.ts';

export const discord = group('Discord', {
  DISCORD_TOKEN: setting({
    schema: pasted(botTokenForm),
    expected: 'the bot token from the Discord developer portal (your application → Bot → Reset Token)',
    secret: true,
    isFirst: true,
    wish: 'my bot online',
    description:
      'The bot token (developer portal → your application → Bot → Reset Token). Without it `npm start` and `npx tallyhook` run the sandbox; with `NODE_ENV=production` or `TALLYHOOK_ROLES` that is an error, unless the process only receives.',
  }),
  DISCORD_API_URL: setting({
    schema: httpUrl,
    expected: 'an http(s) URL',
    default: 'https://discord.com/api',
    wish: 'another Discord, such as a proxy',
    description: 'Base URL of the REST API, which also returns the URL of the gateway.',
  }),
  DISCORD_GUILD_ID: setting({
    schema: guildId,
    expected: expectedId,
    wish: 'commands in one server only',
    description: 'Register the commands in this guild only. It is also the guild in which roles are given.',
  }),
  DISCORD_PUBLIC_KEY: setting({
    schema: z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .toLowerCase(),
    expected:
      "the application's public key, 64 hexadecimal digits (developer portal → your application → General Information)",
    wish: 'commands on many machines, without a gateway',
    description:
      "The application's public key (developer portal → General Information): receive [commands over HTTP](operations.md#commands-over-http) at `/interactions`. Then run `tallyhook register --http --url https://your.domain/interactions`.",
  }),
  DISCORD_CLIENT_SECRET: setting({
    schema: pasted(clientSecretForm),
    expected: 'the client secret from the Discord developer portal (your application → OAuth2 → Reset Secret)',
    secret: true,
    wish: "Discord's linked roles",
    description:
      "The application's client secret (developer portal → OAuth2): members can link their account for [linked roles](linked-roles.md), and managers of a server can [sign in to the console](owner.md#sign-in-with-discord). Needs `PUBLIC_URL`.",
  }),
});
