import { hour, minute } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import type { Message } from 'local-discord';
import { describe, expect, it, vi } from 'vitest';
import { remind } from '../../../commands/remind.ts';
import { controlsOf } from '../../../packages/local-discord/src/objects.ts';
import { renderComponents } from '../../../src/discord/rendering/components.ts';
import { renderReminder } from '../../../src/features/reminders/parts.ts';
import type { Reminders } from '../../../src/features/reminders/service.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { contextFor, fakeLookup, inputOf, memberId, server, start } from '../../support/command-fixture.ts';
import { startInstallation } from '../../support/start-installation.ts';

const waitOptions = { timeout: 30_000, interval: 20 };

const people = Array.from({ length: 10 }, (_, index) => ({ id: `30000000000000000${index}`, username: `m${index}` }));

/** An installation with ten members, their commands, votes and direct messages. */
async function startForMembers(changes: Record<string, string> = {}) {
  const clock = createOffsetClock();
  const installation = await startInstallation(changes, clock, { people });
  const { discord, app, post, url } = installation;
  const { length } = app.commandData();
  await vi.waitFor(() => expect(discord.commands()).toHaveLength(length), waitOptions);

  function ofMember(index: number) {
    const user = discord.members[index];
    if (user === undefined) throw new Error('no member');
    const userId = user.id;
    const run = (name: string, options: Record<string, string> = {}) =>
      discord.runCommand({ name, options, userId, channelId: discord.channels.general }).settled;
    return {
      user,
      run,
      remind: () => run('remind', { state: 'on' }),
      press(message: Message | undefined, label: string) {
        const button = controlsOf(message?.components ?? []).find((each) => 'label' in each && each.label === label);
        return discord.clickButton(message?.id ?? '', button?.custom_id ?? '', userId).settled;
      },
      async vote(event = 'server_vote') {
        const timestamp = new Date(clock.now()).toISOString();
        const { json } = await post('/webhooks/vote', { event, userId, timestamp });
        expect(json).toMatchObject({ outcome: 'recorded' });
      },
      reminders: () => discord.directMessages(userId),
      untilReminded: (count: number) =>
        vi.waitFor(() => expect(discord.directMessages(userId)).toHaveLength(count), waitOptions),
      /** All that the member sees of replies to commands. */
      privateReplies: () =>
        discord.messages(discord.channels.general, userId).filter(({ flags }) => (flags & 64) !== 0),
    };
  }

  const scrape = async () => (await fetch(`${url}/metrics`)).text();
  const countIn = (text: string, outcome: string) =>
    Number(new RegExp(`tallyhook_reminders_total{outcome="${outcome}"} (\\d+)`).exec(text)?.[1] ?? 0);

  /** How many reminders have been checked with this outcome, up to a second ago: a scrape is cached. */
  const checked = async (outcome: 'due' | 'not_yet') => countIn(await scrape(), outcome);

  /** The same until now, of a new scrape, which has another CPU time. */
  async function checkedUntilNow(outcome: 'due' | 'not_yet'): Promise<number> {
    const cached = await scrape();
    return vi.waitFor(async () => {
      const text = await scrape();
      expect(text).not.toBe(cached);
      return countIn(text, outcome);
    }, waitOptions);
  }
  return { ...installation, clock, ofMember, checked, checkedUntilNow };
}

const rowsOf = (message: Message | undefined) =>
  (message?.components ?? []).map((row) => labelsOf({ components: [row] }));
const labelsOf = (message: Pick<Message, 'components'> | undefined) =>
  controlsOf(message?.components ?? []).flatMap((each) => ('label' in each ? [each.label] : []));

describe('a reminder', { timeout: 120_000 }, () => {
  const shared = sharedByTests(startForMembers);
  /** Two members. What the first one must not get would have come before the reminder of the second. */
  const members = (first: number) => [shared().ofMember(first), shared().ofMember(first + 1)] as const;

  it('is a direct message when the vote is due, which can be postponed and stopped', async () => {
    const { clock, service, checked, checkedUntilNow } = shared();
    const [member, other] = members(0);
    const before = await checkedUntilNow('due');
    const reply = await member.remind();
    expect(reply.embeds[0]).toMatchObject({ title: 'Reminders are on' });
    expect(reply.flags & 64).toBe(64);
    await other.remind();
    await other.vote();
    clock.advance(10 * minute);
    await member.vote();
    clock.advance(12 * hour - 10 * minute);
    await other.untilReminded(1);
    expect(member.reminders()).toEqual([]);

    clock.advance(10 * minute);
    await member.untilReminded(1);
    const [first] = member.reminders();
    expect(first?.embeds[0]).toMatchObject({ title: 'You can vote again' });
    expect(rowsOf(first)).toEqual([['Vote'], ['In 1 hour', 'In 6 hours', 'Stop']]);
    expect(first?.embeds[0]?.url).toContain(service.url);

    const postponed = await member.press(first, 'In 1 hour');
    expect(postponed.embeds[0]).toMatchObject({ title: 'Reminder postponed' });
    expect(labelsOf(postponed)).toEqual(['Vote', 'Stop']);
    clock.advance(hour);
    await member.untilReminded(2);

    const stopped = await member.press(member.reminders()[1], 'Stop');
    expect(stopped.embeds[0]).toMatchObject({ title: 'Reminders are off' });
    await member.vote();
    await other.vote();
    clock.advance(13 * hour);
    await other.untilReminded(2);
    await vi.waitFor(async () => expect(await checked('due')).toBe(before + 4), waitOptions);
    expect(member.reminders()).toHaveLength(2);
  });

  it('is not sent if the member has voted meanwhile, but for that vote', async () => {
    const { clock } = shared();
    const [member, other] = members(2);
    await member.remind();
    await other.remind();
    await member.vote();
    await member.vote('bot_vote');
    clock.advance(12 * hour);
    await member.untilReminded(1);
    await other.vote();
    clock.advance(10 * minute);
    await member.vote();
    clock.advance(12 * hour - 10 * minute);
    await other.untilReminded(1);
    expect(member.reminders()).toHaveLength(1);
    clock.advance(10 * minute);
    await member.untilReminded(2);
  });

  it('is not sent after a vote that only the service knows, whose time the confirmation gives', async () => {
    const { clock, ofMember, service, discord, checked } = await startForMembers();
    const member = ofMember(0);
    // Its webhook is not configured, so the vote is never received.
    const { nextVoteAt } = await service.castVote({
      listingId: service.seeded?.server.id ?? '',
      userId: member.user.id,
      username: member.user.username,
    });
    await member.remind();
    // By the ledger alone, the next vote would be due now.
    clock.shiftWallClock(-12 * hour);
    await member.vote();
    clock.shiftWallClock(12 * hour);
    clock.advance(minute);
    await vi.waitFor(async () => expect(await checked('not_yet')).toBe(1), waitOptions);
    expect(member.reminders()).toEqual([]);

    const notYet = await member.run('canvote');
    expect(labelsOf(notYet)).toEqual(['Remind me', 'Vote', 'Vote for Quartermaster']);
    await member.press(notYet, 'Remind me');
    const confirmation = discord.messages(discord.channels.general, member.user.id).at(-1);
    expect(confirmation?.embeds[0]?.description).toContain(`<t:${Math.floor(nextVoteAt / 1_000)}:t>`);
  });

  it('that Discord rejects is not retried, switches reminders off, and is reported at the next command, once', async () => {
    const { clock, discord, url } = shared();
    const [member, other] = members(4);
    await member.remind();
    await other.remind();
    await member.vote();
    discord.guild.acceptDirectMessages(member.user.id, false);
    clock.advance(12 * hour);
    const buriedEffects = async () => {
      const headers = { authorization: 'Bearer owner-token-for-tests' };
      return (await fetch(`${url}/owner/api/effects?state=buried`, { headers })).json();
    };
    const buried = { effects: [{ kind: 'directMessage', reason: 'direct_messages_closed' }] };
    await vi.waitFor(async () => expect(await buriedEffects()).toMatchObject(buried), waitOptions);
    const before = member.privateReplies().length;
    await member.run('canvote');
    await vi.waitFor(() => expect(member.privateReplies()).toHaveLength(before + 2), waitOptions);
    expect(member.privateReplies().at(-1)?.embeds[0]).toMatchObject({ title: 'Reminders are off' });
    await member.run('canvote');
    await member.vote();
    await other.vote();
    clock.advance(13 * hour);
    await other.untilReminded(1);
    expect(member.privateReplies()).toHaveLength(before + 3);
    const rejected = discord.requests.filter(({ path, status }) => path.includes('/messages') && status === 403);
    expect(rejected).toHaveLength(1);
    expect(member.reminders()).toEqual([]);
  });

  it('waits for Discord, and is checked again if that took long', async () => {
    const { clock, discord, checked, checkedUntilNow } = shared();
    const [member, other] = members(6);
    const before = await checkedUntilNow('due');
    for (const each of [member, other]) {
      await each.remind();
      await each.vote();
    }
    discord.faults.outage(true);
    clock.advance(12 * hour);
    await vi.waitFor(async () => expect(await checked('due')).toBeGreaterThan(before), waitOptions);
    clock.advance(hour);
    await member.vote();
    discord.faults.outage(false);
    clock.advance(minute);
    await other.untilReminded(1);
    expect(member.reminders()).toEqual([]);
    clock.advance(12 * hour);
    await member.untilReminded(1);
  });

  it('is not offered with REMINDERS=off', async () => {
    const { discord, ofMember } = await startForMembers({ REMINDERS: 'off' });
    expect(discord.commands().map(({ name }) => name)).not.toContain('remind');
    expect(labelsOf(await ofMember(0).run('canvote'))).not.toContain('Remind me');
  });
});

it('a reminder of more listings than a message has room for leads to a list of all', () => {
  const cards = Array.from({ length: 23 }, (_, index) => ({
    notice: { listing: `l${index}`, dueAt: 0 },
    card: { name: `Harbour ${index}`, url: `https://example.com/${index}`, list: { command: 'vote', action: 'list' } },
  }));
  const reply = renderReminder({ listing: 'l0', dueAt: 0 }, cards, {
    ...{ texts: textsIn('en-US'), isPublic: false, now: 1 },
  });
  const rows = renderComponents([reply], null).map(({ components }) => components);
  expect(rows.map((row) => row.length)).toEqual([5, 5, 5, 5, 3]);
  expect(rows[3]?.at(-1)).toMatchObject({ label: 'Vote', custom_id: 'tallyhook:vote/list:' });
  expect(rows[4]).toMatchObject([{ label: 'In 1 hour' }, { label: 'In 6 hours' }, { label: 'Stop' }]);
});

const listed = { name: 'server', lookup: fakeLookup('server', { profile: async () => server }) };
const other = { name: 'my_bot', lookup: fakeLookup('bot', {}) };
const due = start + 11 * hour;
const seconds = due / 1_000;

function remembering(changes: Partial<Reminders> = {}) {
  const calls: unknown[][] = [];
  const reminders: Reminders = {
    async switchOn(...args) {
      calls.push(['on', ...args]);
      return [
        { listing: 'server', dueAt: due },
        { listing: 'my_bot', dueAt: null },
      ];
    },
    switchOff: async (...args) => void calls.push(['off', ...args]),
    channelIds: ['70'],
    mute: async (...args) => void calls.push(['mute', ...args]),
    choicesOf: async () => [],
    isOn: async () => false,
    async snooze(...args) {
      calls.push(['snooze', ...args]);
      return { outcome: 'snoozed', dueAt: due, listings: ['server'] };
    },
    ...changes,
  };
  return { calls, context: { ...contextFor(listed, other), reminders, commandId: () => '77' } };
}

const pressed = (action: string, options = {}) => inputOf(options, { action });

describe('/remind', () => {
  it('switches reminders on and says when the next ones come', async () => {
    const { calls, context } = remembering();
    const reply = await remind.execute(inputOf({ state: 'on' }), context);
    expect(calls).toEqual([['on', memberId, {}]]);
    expect(reply).toMatchObject({ tone: 'good', title: 'Reminders are on' });
    expect(reply.text).toContain(`Your next reminder comes at <t:${seconds}:t>.`);
    expect(reply.text).toContain(String.raw`You can vote for **my\_bot** now.`);
  });

  it('switches reminders off', async () => {
    const { calls, context } = remembering();
    const reply = await remind.execute(inputOf({ state: 'off' }), context);
    expect(calls).toEqual([['off', memberId]]);
    expect(reply).toMatchObject({ title: 'Reminders are off' });
    expect(reply.text).toContain('</remind:77>');
    expect(reply.response).toBe(undefined);
  });

  it('is switched on and off by the button of a vote panel', async () => {
    const off = remembering();
    expect(await remind.execute(pressed('toggle'), off.context)).toMatchObject({ title: 'Reminders are on' });
    const on = remembering({ isOn: async () => true });
    expect(await remind.execute(pressed('toggle'), on.context)).toMatchObject({ title: 'Reminders are off' });
    expect([...off.calls, ...on.calls]).toEqual([
      ['on', memberId, {}],
      ['off', memberId],
    ]);
  });

  it.each<[Awaited<ReturnType<Reminders['snooze']>>, string]>([
    [{ outcome: 'voted', dueAt: due }, 'You have already voted'],
    [{ outcome: 'off' }, 'Reminders are off'],
    [{ outcome: 'unknown' }, 'That did not work'],
  ])('explains why a reminder is not postponed: %o', async (result, title) => {
    const { context } = remembering({ snooze: async () => result });
    expect(await remind.execute(pressed('snooze', { listing: 'server' }), context)).toMatchObject({ title });
  });

  it('does not trust the options of a button', async () => {
    const { calls, context } = remembering();
    await remind.execute(pressed('snooze', { listing: 'x', hours: '9999' }), context);
    await remind.execute(pressed('snooze', {}), context);
    expect(calls).toEqual([
      ['snooze', memberId, 'x', 6 * hour],
      ['snooze', memberId, '', hour],
    ]);
  });
});
