import { hour, minute } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import type { Locale } from '@tallyhook/platform/texts/locale';
import { html } from '@tallyhook/platform/web/html';
import * as fc from 'fast-check';
import { startLocalDiscord } from 'local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Effect } from '../../../src/core/outbox/effect-kind.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createAnnouncements } from '../../../src/features/announcements/announcements.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createPartyPanelHandler, createPartyReachedHandler, partyCard } from '../../../src/features/party/parts.ts';
import {
  addPartyVote,
  daysOfPeriod,
  type PartyPanel,
  type PartyReached,
  partyEntry,
  partyPeriod,
} from '../../../src/features/party/rules.ts';
import type { PanelUpdate, PartyStore, ShownParty } from '../../../src/features/party/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { effectOf } from '../../support/due-effects.ts';
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
    ...{ votes: 2, reachedAt: null, goal: 5, credits: 25, endsAt, channelId, message: null },
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
  const show = (next: Partial<ShownParty> = {}, fields: Partial<Effect<PartyPanel>> = {}) => {
    panel = { ...panel, ...next };
    const effect = { kind: 'partyPanel', queue: channelQueue(channelId), content: { channelId, period } };
    return handle(effectOf(effect, { createdAt: clock.now(), nonce: 'a-nonce', ...fields }));
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
});

it('a reached goal is announced once, and pings nobody', async () => {
  const { discord, rest, clock, channelId, messages } = await showing();
  let texts = en;
  const announcements = createAnnouncements(createDirectory([], () => undefined));
  const handle = createPartyReachedHandler({ rest, channelTexts: async () => texts, clock, announcements });
  const effect = effectOf<PartyReached>(
    { kind: 'partyReached', queue: channelQueue(channelId), content: { channelId, period, goal: 1_000, credits: 1 } },
    { createdAt: clock.now() },
  );
  discord.faults.loseAnswers(1);
  expect(await handle(effect)).toMatchObject({ outcome: 'later' });
  clock.advance(10 * minute);
  texts = textsIn('ja');
  expect(await handle({ ...effect, possiblySentSince: effect.createdAt })).toEqual(done);
  expect(messages()).toHaveLength(1);
  expect(messages()[0]).toMatchObject({ mentions: [], mention_everyone: false, embeds: [] });
  expect(textOf(messages()[0])).toBe(
    [
      '### The goal is reached!',
      'Together you have cast **1,000** votes.',
      'Everyone who voted receives **1** credit.',
      `-# January 5 – 11 · <t:${Math.floor(effect.createdAt / 1_000)}:f>`,
    ].join('\n'),
  );
});

const per = fc.constantFrom('day' as const, 'week' as const, 'month' as const);

describe('the period of a party', () => {
  it('contains its day, and the next begins where it ends', () => {
    fc.assert(
      fc.property(per, fc.integer({ min: 0, max: 100_000 }), (unit, day) => {
        const period = partyPeriod(unit, day);
        expect(period.firstDay <= day && day < period.endDay).toBe(true);
        expect(partyPeriod(unit, period.endDay - 1)).toEqual(period);
        expect(daysOfPeriod(period.id)).toEqual([period.firstDay, period.endDay - 1]);
        expect(partyPeriod(unit, period.endDay).firstDay).toBe(period.endDay);
      }),
    );
  });
});

describe('the goal of a party', () => {
  const rules = { goal: 3, per: 'week', credits: 25 } as const;

  it('is reached by the next vote if the owner has lowered it', () => {
    const added = addPartyVote({ votes: 50, reachedAt: null }, rules, 10);
    expect(added).toEqual({ progress: { votes: 51, reachedAt: 10 }, payees: 'all_voters' });
  });

  it('pays an entry that is unique per account and period', () => {
    expect(partyEntry(rules, partyPeriod('week', 20_484).id)).toEqual({
      ...{ cause: 'party', credits: 25, reason: '3 votes, week 2026-W05', achievement: 'party week 2026-W05' },
    });
  });
});

const status = { votes: 12, goal: 100, credits: 25 };

async function render(period: string, locale: 'en-US' | 'de') {
  const card = partyCard(async () => ({ ...status, period }));
  const none = () => html``;
  const shown = {
    memberLinks: async () => none,
    form: none,
    role: none,
    text: none,
    reason: none,
    markup: (text: string) => html`${text}`,
  };
  const view = { scope: null, texts: textsIn(locale), ...shown };
  return (await card.render(view))?.text;
}

it('the period of a party is shown by its days, in the language of the page', async () => {
  expect(await render('week 2026-W47', 'en-US')).toMatch(/^<p>November 16 – 22: /);
  expect(await render('613425648685547541 week 2026-W47', 'de')).toMatch(/^<p>16.–22. November: /);
});
