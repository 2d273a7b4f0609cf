import type { LifecycleEvent } from 'listing-service';
import type { Message } from 'local-discord';
import { cooldownMs, type MemberName, mentions, type Shown, type Stage } from './stage.ts';
import { type Scene, state } from './state.ts';

const shown = (message: Message): Shown => ({ message, viewer: 'mira' });

async function premium(stage: Stage, act: () => Promise<unknown>): Promise<Shown> {
  return shown(await stage.newMessage(stage.channels.premium, act));
}

async function serverId(stage: Stage): Promise<string> {
  const listing = (await stage.sandbox.service.listings()).find(({ kind }) => kind === 'server');
  if (listing === undefined) throw new Error('There is no server.');
  return listing.id;
}

const person = (stage: Stage, name: MemberName) => ({ userId: stage.id(name), username: name });

/** Buys premium, and returns the order's id and what Discord shows. */
async function order(stage: Stage, options: { readonly recipient?: MemberName } = {}) {
  const listingId = await serverId(stage);
  let orderId = '';
  const message = await premium(stage, async () => {
    const { recipient } = options;
    const { purchase } = await stage.sandbox.service.purchase({
      listingId,
      buyer: person(stage, 'Ayşe'),
      ...(recipient === undefined ? {} : { recipient: person(stage, recipient) }),
    });
    orderId = purchase.orderId;
  });
  const change = (event: LifecycleEvent) =>
    premium(stage, () => stage.sandbox.service.transitionOrder(listingId, orderId, event));
  return { message, change };
}

/** What the bot posts by itself, one message per event. */
export const announcementScene: Scene = {
  title: 'Announcements',
  states: [
    state('vote', 'A vote', '@Ayşe voted for Lantern Harbour. +10', async (stage) =>
      shown(await stage.announcedVote('Ayşe')),
    ),
    state('party-panel', 'The progress of a vote party', '1 of 5 votes', async (stage) => {
      const find = () => stage.sandbox.discord.messages(stage.channels.announcements).find((each) => !mentions(each));
      return shown(await stage.waitFor('the panel', find));
    }),
    state('vote-denied', 'A vote with an ad blocker', 'Ad blocker detected', async (stage) =>
      shown(await stage.announcedVote('juniper', 'server', { adBlocker: true })),
    ),
    state('vote-test', 'A test vote', 'This is a test', async (stage) => {
      const listingId = await serverId(stage);
      const test = () => stage.sandbox.service.testWebhook(listingId, 'vote');
      return shown(await stage.newMessage(stage.channels.announcements, test));
    }),
    state('party-reached', 'The goal of a vote party', 'The goal is reached', async (stage) => {
      stage.pass(cooldownMs);
      const cast = async () => {
        for (const voter of ['mira', 'tobias_k', 'old_salt'] as const) await stage.vote(voter, 'bot');
      };
      const isReport = (message: Message) => !mentions(message);
      return shown(await stage.newMessage(stage.channels.announcements, cast, isReport));
    }),
    state('vote-streak', 'A vote that completes a streak of three days', '🔥 3 days', async (stage) => {
      let message: Message | undefined;
      for (let votes = 0; votes < 3; votes += 1) {
        stage.pass(cooldownMs);
        message = await stage.announcedVote('Ayşe');
      }
      return shown(message ?? (await stage.announcedVote('Ayşe')));
    }),
    state(
      'premium-purchase',
      'A premium purchase',
      '@Ayşe got Supporter',
      async (stage) => (await order(stage)).message,
    ),
    state(
      'premium-gift',
      'Premium as a gift',
      'as a gift from @Ayşe',
      async (stage) => (await order(stage, { recipient: 'mira' })).message,
    ),
    state('premium-renewal', 'A renewal', '@Ayşe renewed Supporter', async (stage) =>
      (await order(stage)).change('subscription.renewed'),
    ),
    state('premium-expiry', 'An expiry', 'has expired', async (stage) =>
      (await order(stage)).change('subscription.expired'),
    ),
    state('premium-revocation', 'A revocation', 'was revoked', async (stage) =>
      (await order(stage)).change('subscription.revoked'),
    ),
    state(
      'owner-report',
      'A report to the owner: a role that cannot be given',
      'A role could not be changed',
      async (stage) => {
        const { discord } = stage.sandbox;
        discord.guild.moveRole(discord.roles.voter, 8);
        stage.pass(cooldownMs);
        return shown(await stage.newMessage(stage.channels.general, () => stage.vote('tobias_k')));
      },
    ),
  ],
};
