import { hour, minute } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import type { Locale } from '@tallyhook/platform/texts/locale';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Effect } from '../../../src/core/outbox/effect-kind.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createPartyPanelHandler, createPartyReachedHandler } from '../../../src/features/party/parts.ts';
import type { PartyPanel, PartyReached } from '../../../src/features/party/rules.ts';
import type { PanelUpdate, PartyStore, ShownParty } from '../../../src/features/party/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { textOf } from '../../support/message-text.ts';
import { channelQueue } from '../../support/queues.ts';

const en = textsIn('en-US');

const period = 'week 2026-W02';

async function showing(changes: Partial<ShownParty> = {}) {
  const clock = createOffsetClock();
  const discord = await startLocalDiscord({ clock, stopwatch: clock, rateLimits: false });
  onTestFinished(() => discord.stop());
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const channelId = discord.channels.announcements;
  const endsAt = clock.now() + hour;
  let panel: ShownParty = {
    votes: 2,
    reachedAt: null,
    goal: 5,
    credits: 25,
    endsAt,
    channelId,
    message: null,
    ...changes,
  };
  let rejected = 0;
  let texts = en;
  const updates: PanelUpdate[] = [];
  const party = {
    find: async () => panel,
    async updated(_: string, update: PanelUpdate) {
      updates.push(update);
      panel = { ...panel, message: update.message };
    },
    async rejected() {
      rejected += 1;
    },
  } as Partial<PartyStore> as PartyStore;
  const handle = createPartyPanelHandler({ rest, store: { party }, channelTexts: async () => texts, clock });
  const speak = (locale: Locale) => {
    texts = textsIn(locale);
  };
  const effectOf = (fields: Partial<Effect<PartyPanel>> = {}): Effect<PartyPanel> => ({
    ...{
      id: 1,
      deliveryId: null,
      kind: 'partyPanel',
      queue: channelQueue(channelId),
      content: { channelId, period },
      attempts: 1,
    },
    ...{ createdAt: clock.now(), nonce: 'a-nonce', possiblySentSince: null, ...fields },
  });
  const show = (next: Partial<ShownParty> = {}, fields: Partial<Effect<PartyPanel>> = {}) => {
    panel = { ...panel, ...next };
    return handle(effectOf(fields));
  };
  const messages = () => discord.messages(channelId);
  const text = () => textOf(messages().at(-1));
  return { discord, clock, rest, channelId, endsAt, show, speak, messages, text, updates, rejections: () => rejected };
}

const done = { outcome: 'done' };

describe('the panel of a party', () => {
  it('shows the progress, the reward and the end, and is edited in place', async () => {
    const { show, text, messages, updates, endsAt, channelId } = await showing();
    expect(await show()).toEqual(done);
    expect(text()).toBe(
      [
        '### Vote party',
        '████████░░░░░░░░░░░░',
        '**2** of **5** votes',
        'When the goal is reached, everyone who voted receives **25** credits.',
        `Ends <t:${Math.floor(endsAt / 1_000)}:R>.`,
        '-# January 5 – 11',
      ].join('\n'),
    );
    expect(messages()[0]).toMatchObject({ mentions: [], embeds: [], flags: 1 << 15 });
    expect(await show({ votes: 4 }, { nonce: 'b-nonce' })).toEqual(done);
    expect(text()).toContain('████████████████░░░░\n**4** of **5** votes');
    expect(messages()).toHaveLength(1);
    const message = { id: messages()[0]?.id, channelId };
    expect(updates).toEqual([
      { message, votes: 2, isFinal: false },
      { message, votes: 4, isFinal: false },
    ]);
  });

  it('has a final state when the goal is reached, and when the period is over', async () => {
    const { show, text, updates, endsAt, clock } = await showing();
    await show();
    await show({ endsAt: clock.now() });
    expect(text()).toContain('### Vote party: the time is over\n');
    expect(text()).toContain('The goal was not reached.');
    await show({ votes: 7, reachedAt: clock.now(), endsAt });
    expect(text()).toBe(
      '### Vote party: the goal was reached\n████████████████████\n**5** of **5** votes\n-# January 5 – 11',
    );
    expect(updates.at(-1)).toMatchObject({ votes: 7, isFinal: true });
  });

  it('is posted again after it was deleted', async () => {
    const { show, messages, rest, channelId, updates } = await showing();
    await show();
    const [first] = messages();
    await rest.delete(`/channels/${channelId}/messages/${first?.id}`);
    expect(await show({ votes: 3 }, { nonce: 'b-nonce' })).toEqual(done);
    expect(messages()).toHaveLength(1);
    expect(updates.at(-1)?.message.id).toBe(messages()[0]?.id);
    expect(messages()[0]?.id).not.toBe(first?.id);
  });

  it('is posted once if its response was lost, even after Discord has forgotten the nonce', async () => {
    const { discord, show, speak, messages, clock, updates } = await showing();
    discord.faults.loseAnswers(1);
    const sentAt = clock.now();
    expect(await show()).toMatchObject({ outcome: 'later' });
    expect(updates).toEqual([]);
    clock.advance(10 * minute);
    // The guild's language was not known at the first attempt.
    speak('de');
    expect(await show({}, { possiblySentSince: sentAt })).toEqual(done);
    expect(messages()).toHaveLength(1);
    expect(updates).toMatchObject([{ message: { id: messages()[0]?.id } }]);
  });

  it('is retried while Discord is down', async () => {
    const { discord, show, rejections } = await showing();
    await show();
    discord.faults.outage(true);
    expect(await show({ votes: 3 })).toMatchObject({ outcome: 'later', scope: 'global' });
    expect(rejections()).toBe(0);
  });

  it('waits with the missing permission, and the next vote tries again', async () => {
    const { discord, show, channelId, rejections } = await showing();
    discord.faults.losePermission(channelId);
    expect(await show()).toMatchObject({
      ...{ outcome: 'later', stop: { target: channelId } },
      reason: `The bot cannot write in channel ${channelId}. Give it Send Messages and Embed Links there.`,
    });
    expect(rejections()).toBe(1);
  });
});

it('a reached goal is announced once, and pings nobody', async () => {
  const { discord, rest, clock, channelId, messages } = await showing();
  let texts = en;
  const handle = createPartyReachedHandler({ rest, channelTexts: async () => texts, clock });
  const effect: Effect<PartyReached> = {
    ...{
      id: 1,
      deliveryId: null,
      kind: 'partyReached',
      queue: channelQueue(channelId),
      attempts: 1,
      createdAt: clock.now(),
    },
    ...{ content: { channelId, period, goal: 1_000, credits: 1 }, nonce: 'a-nonce', possiblySentSince: null },
  };
  discord.faults.loseAnswers(1);
  expect(await handle(effect)).toMatchObject({ outcome: 'later' });
  clock.advance(10 * minute);
  texts = textsIn('ja');
  expect(await handle({ ...effect, possiblySentSince: effect.createdAt })).toEqual(done);
  expect(messages()).toHaveLength(1);
  expect(messages()[0]).toMatchObject({
    mentions: [],
    mention_everyone: false,
    embeds: [],
  });
  expect(textOf(messages()[0])).toBe(
    [
      '### The goal is reached!',
      'Together you have cast **1,000** votes.',
      'Everyone who voted receives **1** credit.',
      `-# January 5 – 11 · <t:${Math.floor(effect.createdAt / 1_000)}:f>`,
    ].join('\n'),
  );
});
