import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Command } from '../../commands/context.ts';
import type { Config } from '../../config/schema.ts';
import { RequestGuard } from '../discord/circuits.ts';
import type { GuildChange } from '../discord/gateway/guild-changes.ts';
import { createDecorations, createKnownGuilds, noNamesInDiscord } from '../discord/known-guilds.ts';
import { createGuildLanguages, createMemberLanguages, type MemberLocales } from '../discord/languages.ts';
import { createGlobalRateLimit } from '../discord/rate-limit.ts';
import { createDiscordRest } from '../discord/rest.ts';
import type { AnnouncementsOfListings } from '../features/parts.ts';
import { createGivenRoleCheck } from '../features/roles/role-failure.ts';
import type { AppTexts } from '../texts/texts.ts';

export type DiscordAccess = ReturnType<typeof createDiscordAccess>;

/** Access to Discord that announcing and answering share in one process. Connects to nothing. */
export function createDiscordAccess(
  config: Pick<Config, 'discord'>,
  options: {
    readonly announcements: Pick<AnnouncementsOfListings, 'languageOf'>;
    readonly memberLocales: MemberLocales;
    readonly commands: readonly Command[];
    readonly store: ConstructorParameters<typeof RequestGuard>[0]['store'];
    /** The guild of a configured channel; null if it is not known. */
    readonly guildOfChannel: (channelId: string) => string | null;
    /** The share of this process in the bot's requests. */
    readonly requestsPerSecond: () => number;
    readonly log: Log;
    readonly languages: AppTexts;
    readonly stopwatch: Clock;
  },
) {
  const { discord } = config;
  const { announcements, memberLocales, languages, log, stopwatch } = options;
  const globalLimit = createGlobalRateLimit(stopwatch);
  const guard = new RequestGuard({ ...options, clock: stopwatch });
  const rest = createDiscordRest({
    ...discord,
    clock: stopwatch,
    globalLimit,
    guard,
    requestsPerSecond: options.requestsPerSecond,
  });
  const guilds = createKnownGuilds(rest, stopwatch);
  const guildLanguages = createGuildLanguages({
    languages,
    guilds,
    configured: announcements.languageOf,
    clock: stopwatch,
  });
  const memberLanguages = createMemberLanguages({
    languages,
    locales: memberLocales,
    fallback: async () => (discord.guildId === null ? languages.for() : guildLanguages.ofGuild(discord.guildId)),
    log,
  });
  const decorations = createDecorations({ ...options, rest, guilds, clock: stopwatch });
  const givenRoles = createGivenRoleCheck(rest, stopwatch);

  function guildChanged(change: GuildChange): void {
    if (change.channelId === null) {
      givenRoles.forget(change.guildId);
      guilds.expire(change.guildId);
    }
    guard.changed(change);
  }

  return {
    rest,
    globalLimit,
    guard,
    givenRoles,
    guildLanguages,
    ...decorations,
    names: discord.token === '' ? noNamesInDiscord : decorations.names,
    memberLanguages,
    guildChanged,
    commands: options.commands,
  };
}
