import { setTimeout as pause } from 'node:timers/promises';
import { startLocalDiscord } from 'local-discord';
import { oneListing, vote, voterOf } from '../load/vote.ts';
import { path } from '../receive/contender.ts';
import { percentile } from '../samples.ts';
import { receiverSettings, type SentVotes, startReceiver } from './receivers.ts';

/** Timeout of the connection to Discord, and of the last announcements (ms). */
const timeout = 20_000;
/** Pauses between votes (ms), random, so that they do not fall into step with a poll. */
const pauses = { min: 100, max: 700 };

/** From the response to a vote in one process until another process has posted its announcement (ms). */
export interface AnnounceDelay {
  readonly p50: number;
  readonly max: number;
  readonly votes: SentVotes;
}

/**
 * Sends single votes to a process that only receives, and waits for the announcements of another one.
 * @throws Error if a vote is not acknowledged or not announced
 */
export async function measureAnnounceDelay(databaseUrl: string, count: number): Promise<AnnounceDelay> {
  const discord = await startLocalDiscord({ rateLimits: false });
  const settings = receiverSettings({
    databaseUrl,
    discordUrl: discord.origin,
    discord: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GUILD_ID: discord.guildId,
      ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    },
  });
  const announcer = await startReceiver(settings);
  const receiver = await startReceiver(settings, 'receive');
  const announcedAt = new Map<string, number>();
  discord.events.on('change', (change) => {
    if (change.kind !== 'message') return;
    const now = performance.now();
    // A message may contain several announcements.
    for (const [, userId] of JSON.stringify(change.message.embeds).matchAll(/<@(\d+)>/g)) {
      if (userId !== undefined && !announcedAt.has(userId)) announcedAt.set(userId, now);
    }
  });
  try {
    await until(() => discord.connected, 'The announcing process did not connect to Discord.');
    const port = await receiver.ask<number>('port');
    const recordedAt: number[] = [];
    for (let number = 0; number < count; number += 1) {
      await pause(pauses.min + Math.random() * (pauses.max - pauses.min));
      await send(port, number);
      recordedAt.push(performance.now());
    }
    await until(() => announcedAt.size >= count, 'Not every vote was announced.');
    // The first vote also opens connections and compiles code.
    const delays = recordedAt
      .map((at, number) => Math.max(0, (announcedAt.get(voterOf(number, oneListing)) ?? Number.NaN) - at))
      .slice(1);
    return {
      p50: percentile(delays, 0.5),
      max: percentile(delays, 1),
      votes: { sent: count, rejected: new Set() },
    };
  } finally {
    await receiver.stop();
    await announcer.stop();
    await discord.stop();
  }
}

async function send(port: number, number: number): Promise<void> {
  const { body, signature } = vote(number, oneListing);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
    body,
  });
  await response.text();
  if (response.status !== 200) throw new Error(`A single vote was answered with ${response.status}.`);
}

async function until(isTrue: () => boolean, otherwise: string): Promise<void> {
  const startedAt = performance.now();
  while (!isTrue()) {
    if (performance.now() - startedAt > timeout) throw new Error(otherwise);
    await pause(5);
  }
}
