import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { commandsFor } from '../../commands/index.ts';
import { hour, minute } from '../../src/platform/durations.ts';
import { controlsOf } from '../../src/sandbox/discord/normalized-components.ts';
import type { Message } from '../../src/sandbox/discord/objects.ts';
import { createOffsetClock } from '../support/offset-clock.ts';
import { type Installation, startInstallation } from '../support/start-installation.ts';

const waitOptions = { timeout: 20_000, interval: 50 };
/** Longer than the interval at which due reminders are searched. */
const pollMs = 6_000;

/** Commands, votes and direct messages of a member of a running installation. */
async function startForMember(changes: Record<string, string> = {}) {
  const clock = createOffsetClock();
  const installation = await startInstallation(changes, clock);
  const { discord, post, app } = installation;
  const [member] = discord.members;
  if (member === undefined) throw new Error('no member');
  const { length } = commandsFor({ reminders: changes['REMINDERS'] !== 'off' });
  await vi.waitFor(() => expect(discord.commands()).toHaveLength(length), waitOptions);
  const userId = member.id;
  const run = (name: string, options: Record<string, string> = {}) =>
    discord.runCommand({ name, options, userId, channelId: discord.channels.general });
  const press = (message: Message | undefined, label: string) => {
    const button = controlsOf(message?.components ?? []).find((each) => 'label' in each && each.label === label);
    return discord.clickButton(message?.id ?? '', button?.custom_id ?? '', userId).settled;
  };
  return {
    ...installation,
    ...{ clock, member, run, press },
    vote: async (event = 'server_vote') => {
      const timestamp = new Date(clock.now()).toISOString();
      expect(await post('/webhooks/vote', { event, userId, timestamp })).toMatchObject({
        json: { outcome: 'recorded' },
      });
    },
    reminders: () => discord.directMessages(userId),
    untilReminded: (count: number) =>
      vi.waitFor(() => expect(discord.directMessages(userId)).toHaveLength(count), waitOptions),
    /** All that the member sees of replies to commands. */
    privateReplies: () => discord.messages(discord.channels.general, userId).filter(({ flags }) => (flags & 64) !== 0),
    votes: async () => (await app.ledger.account(userId)).votes,
  };
}

const labelsOf = (message: Message | undefined) =>
  controlsOf(message?.components ?? []).flatMap((each) => ('label' in each ? [each.label] : []));

async function metricOf({ url }: Installation, name: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(name));
}

describe('a reminder', () => {
  it('is a direct message when the vote is due, which can be postponed and stopped', { timeout: 120_000 }, async () => {
    const installation = await startForMember();
    const { clock, run, press, vote, reminders, untilReminded, service } = installation;
    const reply = await run('remind', { state: 'on' }).settled;
    expect(reply.embeds[0]).toMatchObject({ title: 'Reminders are on' });
    expect(reply.flags & 64).toBe(64);
    await vote();
    clock.advance(12 * hour - minute);
    await wait(pollMs);
    expect(reminders()).toEqual([]);

    clock.advance(minute);
    await untilReminded(1);
    const [first] = reminders();
    expect(first?.embeds[0]).toMatchObject({ title: 'You can vote again' });
    expect(labelsOf(first)).toEqual(['Vote', '1 h', '6 h', 'Stop']);
    expect(JSON.stringify(first?.components)).toContain(service.url);

    const postponed = await press(first, '1 h');
    expect(postponed.embeds[0]).toMatchObject({ title: 'Reminder postponed' });
    expect(labelsOf(postponed)).toEqual(['Vote', 'Stop']);
    clock.advance(hour);
    await untilReminded(2);

    const stopped = await press(reminders()[1], 'Stop');
    expect(stopped.embeds[0]).toMatchObject({ title: 'Reminders are off' });
    await vote();
    clock.advance(13 * hour);
    await wait(pollMs);
    expect(reminders()).toHaveLength(2);
    expect(await metricOf(installation, 'tallyhook_reminders_total{outcome="due"}')).toContain(' 2');
  });

  it('is not sent if the member has voted meanwhile, but for that vote', { timeout: 60_000 }, async () => {
    const { clock, run, vote, reminders, untilReminded } = await startForMember();
    await run('remind', { state: 'on' }).settled;
    await vote();
    await vote('bot_vote');
    clock.advance(6 * hour);
    clock.advance(6 * hour - 1_000);
    await untilReminded(2);
    await vote();
    clock.advance(12 * hour - minute);
    await wait(pollMs);
    expect(reminders()).toHaveLength(2);
    clock.advance(minute);
    await untilReminded(3);
  });

  it('is not sent after a vote that only the service knows, whose time the confirmation gives', {
    timeout: 60_000,
  }, async () => {
    const installation = await startForMember();
    const { clock, run, press, vote, reminders, service, member, discord } = installation;
    // Its webhook is not configured, so the vote is never received.
    const { nextVoteAt } = await service.castVote({
      listingId: service.seeded?.server.id ?? '',
      userId: member.id,
      username: member.username,
    });
    await run('remind', { state: 'on' }).settled;
    // By the ledger alone, the next vote would be due now.
    clock.shiftWallClock(-12 * hour);
    await vote();
    clock.shiftWallClock(12 * hour);
    await wait(pollMs);
    expect(reminders()).toEqual([]);
    expect(await metricOf(installation, 'tallyhook_reminders_total{outcome="not_yet"}')).toContain(' 1');

    const notYet = await run('canvote').settled;
    expect(labelsOf(notYet)).toEqual(['Remind me', 'Vote for Quartermaster']);
    await press(notYet, 'Remind me');
    const confirmation = discord.messages(discord.channels.general, member.id).at(-1);
    expect(confirmation?.embeds[0]?.description).toContain(`<t:${Math.floor(nextVoteAt / 1_000)}:R>`);
  });

  it('that Discord rejects is not retried, switches reminders off, and is told at the next command, once', {
    timeout: 60_000,
  }, async () => {
    const { clock, run, vote, reminders, discord, member, url, privateReplies } = await startForMember();
    await run('remind', { state: 'on' }).settled;
    await vote();
    discord.guild.acceptDirectMessages(member.id, false);
    clock.advance(12 * hour);
    const sends = () => discord.requests.filter(({ path, status }) => path.includes('/messages') && status === 403);
    await vi.waitFor(() => expect(sends()).toHaveLength(1), waitOptions);
    const buriedEffects = async () => {
      const headers = { authorization: 'Bearer owner-token-for-tests' };
      return (await fetch(`${url}/owner/api/effects?state=buried`, { headers })).json();
    };
    const buried = { effects: [{ kind: 'directMessage', reason: 'direct_messages_closed' }] };
    await vi.waitFor(async () => expect(await buriedEffects()).toMatchObject(buried), waitOptions);
    const before = privateReplies().length;
    await run('canvote').settled;
    await vi.waitFor(() => expect(privateReplies()).toHaveLength(before + 2), waitOptions);
    expect(privateReplies().at(-1)?.embeds[0]).toMatchObject({ title: 'Reminders are off' });
    await run('canvote').settled;
    await vote();
    clock.advance(13 * hour);
    await wait(pollMs);
    expect(privateReplies()).toHaveLength(before + 3);
    expect(sends()).toHaveLength(1);
    expect(reminders()).toEqual([]);
  });

  it('waits for Discord, and is checked again if that took long', { timeout: 60_000 }, async () => {
    const { clock, run, vote, reminders, untilReminded, discord } = await startForMember();
    await run('remind', { state: 'on' }).settled;
    await vote();
    discord.faults.outage(true);
    clock.advance(12 * hour);
    await wait(pollMs);
    clock.advance(hour);
    await vote();
    discord.faults.outage(false);
    await wait(pollMs);
    expect(reminders()).toEqual([]);
    clock.advance(12 * hour);
    await untilReminded(1);
  });

  it('is not offered with REMINDERS=off', { timeout: 30_000 }, async () => {
    const { discord, run } = await startForMember({ REMINDERS: 'off' });
    expect(discord.commands().map(({ name }) => name)).not.toContain('remind');
    expect(labelsOf(await run('canvote').settled)).not.toContain('Remind me');
  });
});
