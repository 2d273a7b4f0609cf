import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { DiscordRest } from './rest.ts';

/** Discord: "Get Current User Guilds". */
const guildsPerPage = 200;

const page = z.array(z.object({ id: z.string(), name: z.string() }));

/** A guild of the bot. The name is external text. */
export type NamedGuild = z.infer<typeof page>[number];

/** The ids of all guilds that the bot is in. Throws what {@link fetchGuilds} throws. */
export async function listGuilds(rest: DiscordRest): Promise<ReadonlySet<string>> {
  return new Set((await fetchGuilds(rest)).map(({ id }) => id));
}

/** All guilds that the bot is in, page by page. Throws what {@link DiscordRest} throws, and ZodError. */
export async function fetchGuilds(rest: DiscordRest): Promise<readonly NamedGuild[]> {
  const all: NamedGuild[] = [];
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const query = new URLSearchParams({ limit: String(guildsPerPage), after });
    const guilds: z.infer<typeof page> = page.parse(await rest.get(Routes.userGuilds(), query));
    all.push(...guilds);
    after = guilds.length < guildsPerPage ? undefined : guilds.at(-1)?.id;
  }
  return all;
}
