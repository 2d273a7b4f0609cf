import { hour } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../../commands/canvote.ts';
import { commands, commandsFor } from '../../../commands/index.ts';
import { remind } from '../../../commands/remind.ts';
import type { Reminders } from '../../../src/features/reminders/service.ts';
import { contextFor, fakeLookup, inputOf, memberId, server, start } from '../../support/command-fixture.ts';

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
    isOn: async () => false,
    async snooze(...args) {
      calls.push(['snooze', ...args]);
      return { outcome: 'snoozed', dueAt: due };
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
    expect(calls).toEqual([['on', memberId]]);
    expect(reply).toMatchObject({ tone: 'good', title: 'Reminders are on' });
    expect(reply.text).toContain(`Your next reminder for **Lantern Harbour** comes <t:${seconds}:R>.`);
    expect(reply.text).toContain(String.raw`You can vote for **my\_bot** now.`);
  });

  it('offers a link to the listings that the member can vote for now', async () => {
    const { context } = remembering({ switchOn: async () => [{ listing: 'server', dueAt: null }] });
    expect((await remind.execute(inputOf({ state: 'on' }), context)).buttons).toEqual([
      { kind: 'link', label: 'Vote', url: server.url },
    ]);
  });

  it('switches reminders off', async () => {
    const { calls, context } = remembering();
    const reply = await remind.execute(inputOf({ state: 'off' }), context);
    expect(calls).toEqual([['off', memberId]]);
    expect(reply).toMatchObject({ title: 'Reminders are off' });
    expect(reply.text).toContain('</remind:77>');
    expect(reply.response).toBe(undefined);
  });

  it('is switched on by whoever presses the button, in a new message', async () => {
    const { calls, context } = remembering();
    const reply = await remind.execute(pressed('on'), context);
    expect(calls).toEqual([['on', memberId]]);
    expect(reply.response).toBe(undefined);
  });

  it('is switched on and off by the button of a vote panel', async () => {
    const off = remembering();
    expect(await remind.execute(pressed('toggle'), off.context)).toMatchObject({ title: 'Reminders are on' });
    const on = remembering({ isOn: async () => true });
    expect(await remind.execute(pressed('toggle'), on.context)).toMatchObject({ title: 'Reminders are off' });
    expect([...off.calls, ...on.calls]).toEqual([
      ['on', memberId],
      ['off', memberId],
    ]);
  });

  it('replaces the reminder whose button is pressed', async () => {
    const { calls, context } = remembering();
    const snoozed = await remind.execute(pressed('snooze', { listing: 'server', hours: '6' }), context);
    expect(calls).toEqual([['snooze', memberId, 'server', 6 * hour]]);
    expect(snoozed).toMatchObject({ response: 'update', title: 'Reminder postponed' });
    expect(snoozed.buttons?.map(({ label }) => label)).toEqual(['Vote', 'Stop']);
    expect(await remind.execute(pressed('stop'), context)).toMatchObject({ response: 'update' });
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

  it('is not offered if reminders are off', () => {
    expect(commandsFor({ reminders: true })).toBe(commands);
    expect(commandsFor({ reminders: false }).map(({ name }) => name)).not.toContain('remind');
  });
});

describe('the button "Remind me"', () => {
  const waiting = { canVote: false, lastVoteAt: start - hour, nextVoteAt: due };
  const lookup = fakeLookup('server', { voteStatus: () => waiting });
  const context = contextFor({ name: 'server', lookup });
  const buttons = [{ kind: 'action', command: 'remind', action: 'on', label: 'Remind me' }];

  it('is under "Not yet" of /canvote, for the member who asks', async () => {
    expect(await canvote.execute(inputOf(), { ...context, commands })).toMatchObject({ title: 'Not yet', buttons });
    const ofOther = await canvote.execute(inputOf({ user: '200000000000000002' }), { ...context, commands });
    expect(ofOther.buttons).toEqual([]);
  });
});
