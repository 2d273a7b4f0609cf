import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/*
 * Loaded with `--import` before a bot. The default options of discord.js are one object, which its clients and REST
 * managers copy when they are created. Programs without discord.js, such as npm itself, are left alone.
 */
const api = process.env['DISCORD_API_URL'];
if (api !== undefined) {
  const program = createRequire(resolve(process.argv[1] ?? 'main.js'));
  let discord;
  try {
    discord = createRequire(program.resolve('discord.js'));
  } catch {
    discord = undefined;
  }
  if (discord !== undefined) discord('@discordjs/rest').DefaultRestOptions.api = api;
}
