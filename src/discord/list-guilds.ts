import { Routes } from 'discord.js';
import { z } from 'zod';
import type { DiscordRest } from './rest.ts';

/** Discord: "Get Current User Guilds". */
const guildsPerPage = 200;

const page = z.array(z.object({ id: z.string() }));

/** The ids of all guilds that the bot is in. Throws what {@link DiscordRest} throws, and ZodError. */
export async function listGuilds(rest: DiscordRest): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const query = new URLSearchParams({ limit: String(guildsPerPage), after });
    const guilds: z.infer<typeof page> = page.parse(await rest.get(Routes.userGuilds(), query));
    for (const { id } of guilds) ids.add(id);
    after = guilds.length < guildsPerPage ? undefined : guilds.at(-1)?.id;
  }
  return ids;
}
