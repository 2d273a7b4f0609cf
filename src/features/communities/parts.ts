import { escapeName, lines, type Markup, markup, timestamp } from '@tallyhook/platform/texts/markup';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { listingName, readCard } from '../../core/announcements/announcement.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { fetchGuildName, listGuilds } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import {
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  type ServicesContext,
  sendMessage,
} from '../parts.ts';
import { createDepartures, type DepartureContext } from './departures.ts';
import { type DepartureNotice, departureMessage } from './feature.ts';

/** Messages of the channel that are searched. A manager gets three of these. */
const searchedMessages = 50;

const messagesSchema = z.array(
  z.object({ timestamp: z.string(), embeds: z.array(z.object({ description: z.string().optional() })).default([]) }),
);

/** The command that saves the settings of a community; it identifies the message. */
function exportCommand(guildId: Markup): Markup {
  return markup`tallyhook settings export ${guildId}`;
}

function renderDeparture({ guildId, deletedAt, notices }: DepartureNotice, name: Markup, texts: Texts): Reply {
  const { text } = texts;
  return {
    tone: notices === 0 ? 'wait' : 'bad',
    title: notices === 0 ? text('departure.title') : text('departure.titleSoon'),
    text: lines(
      text('departure.text', { name, time: timestamp(deletedAt, 'R') }),
      text('departure.keep', { command: markup`\`${exportCommand(escapeName(guildId))}\`` }),
    ),
  };
}

/** True if the channel has a notice about the guild since then (ms since the epoch), as far as Discord says. */
async function hasDeparture(
  rest: DiscordRest,
  channelId: string,
  { guildId }: DepartureNotice,
  since: number,
): Promise<boolean> {
  const query = new URLSearchParams({ limit: String(searchedMessages) });
  const messages = messagesSchema.parse(await rest.get(Routes.channelMessages(channelId), query));
  const command = exportCommand(escapeName(guildId));
  return messages.some(
    ({ timestamp, embeds }) =>
      Date.parse(timestamp) >= since && embeds.some(({ description }) => description?.includes(`${command}\``)),
  );
}

export function createServices({ findDeparted }: ServicesContext) {
  return {
    commandsIn: ({ communities }) => ({
      async findDeparted(guildId: string | null, userIds: readonly string[]) {
        const place = guildId ?? communities[0]?.guildId ?? null;
        return place === null ? new Map<string, string>() : findDeparted({ guildId: place }, userIds);
      },
    }),
  } satisfies FeatureServices;
}

export function create(context: PartsContext & Pick<DepartureContext, 'store' | 'settings'>) {
  const { rest, cardOf, clock } = context;
  const departures = createDepartures(
    context,
    () => listGuilds(rest),
    async (guildId) => (await fetchGuildName(rest, guildId)) !== null,
  );
  return {
    directMessages: [
      sendMessage(departureMessage, {
        async render(notice, texts) {
          const card = notice.listing === null ? null : await readCard(cardOf, notice.listing, clock);
          return renderDeparture(notice, listingName(card, notice.guildId), texts);
        },
        prepare: async (message) => ((await departures.isNoticeWanted(message)) ? { message } : null),
        isIn: (channelId, notice, since) => hasDeparture(rest, channelId, notice, since),
        reachesStrangers: true,
      }),
    ],
    loops: [departures.loop],
  } satisfies FeatureParts;
}
