import { Routes } from 'discord.js';
import { z } from 'zod';
import type { Reply } from '../../discord/commands/reply.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { exportCommand } from '../../texts/departure.ts';
import { escapeName, lines, type Markup } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import type { DepartureNotice } from './effects.ts';

/** Messages of the channel that are searched. A manager gets three of these. */
const searchedMessages = 50;

const messagesSchema = z.array(
  z.object({
    timestamp: z.string(),
    embeds: z.array(z.object({ description: z.string().optional() })).default([]),
  }),
);

/** What will be deleted of a community that has removed the bot, when, and how to keep it. */
export function renderDeparture({ guildId, deletedAt, notices }: DepartureNotice, name: Markup, texts: Texts): Reply {
  const { title, titleSoon, text, keep } = texts.departure;
  return {
    tone: notices === 0 ? 'wait' : 'bad',
    title: notices === 0 ? title : titleSoon,
    text: lines(text(name, deletedAt), keep(escapeName(guildId))),
  };
}

/**
 * Whether the channel contains a notice about the guild, posted at `since` (ms since the epoch) or later. Throws what
 * {@link DiscordRest} throws, and ZodError for a response of another shape.
 */
export async function hasDeparture(
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
