import type { Message } from '../../src/sandbox/discord/objects.ts';
import type { LifecycleEvent } from '../../src/service/webhooks/payloads.ts';
import { cooldownMs, type MemberName, type Shown, type Stage } from './stage.ts';
import type { AnswerState, Scene } from './state.ts';

const state = (name: string, title: string, show: AnswerState['show']): AnswerState => ({ name, title, show });

const mentions = (message: Message, userId: string) => JSON.stringify(message).includes(`<@${userId}>`);

/** The new announcement that a vote causes, and that is not the first one to mention the member if `last`. */
async function announced(stage: Stage, act: () => Promise<unknown>, count = 1): Promise<Shown> {
  const messages = await stage.newMessages(stage.channels.announcements, act, count);
  return shown(messages.at(-1));
}

function shown(message: Message | undefined): Shown {
  if (message === undefined) throw new Error('There is no such message.');
  return { message, viewer: 'mira' };
}

async function premium(stage: Stage, act: () => Promise<unknown>): Promise<Shown> {
  return shown((await stage.newMessages(stage.channels.premium, act)).at(-1));
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
    state('vote', 'A vote', async (stage) => {
      const messages = await stage.newMessages(stage.channels.announcements, () => stage.vote('Ayşe'), 2);
      return shown(messages.find((message) => mentions(message, stage.id('Ayşe'))));
    }),
    state('party-panel', 'The progress of a vote party', async (stage) => {
      const messages = stage.sandbox.discord.messages(stage.channels.announcements);
      return shown(messages.find((message) => !mentions(message, stage.id('Ayşe'))));
    }),
    state('vote-denied', 'A vote with an ad blocker', (stage) =>
      announced(stage, () => stage.vote('juniper', 'server', { adBlocker: true })),
    ),
    state('vote-test', 'A test vote', async (stage) => {
      const listingId = await serverId(stage);
      return announced(stage, () => stage.sandbox.service.testWebhook(listingId, 'vote'));
    }),
    state('vote-streak', 'A vote that completes a streak', async (stage) => {
      for (let votes = 0; votes < 4; votes += 1) {
        stage.pass(cooldownMs);
        await announced(stage, () => stage.vote('Ayşe'));
      }
      const messages = stage.sandbox.discord.messages(stage.channels.announcements);
      return shown(messages.findLast((message) => mentions(message, stage.id('Ayşe'))));
    }),
    state('party-reached', 'The goal of a vote party', async (stage) => {
      stage.pass(cooldownMs);
      const voters = ['mira', 'tobias_k', 'old_salt', 'juniper', 'Noor ✦'] as const;
      const cast = async () => {
        for (const voter of voters) await stage.vote(voter, 'bot');
      };
      return announced(stage, cast, voters.length + 1);
    }),
    state('premium-purchase', 'A premium purchase', async (stage) => (await order(stage)).message),
    state('premium-gift', 'Premium as a gift', async (stage) => (await order(stage, { recipient: 'mira' })).message),
    state('premium-renewal', 'A renewal', async (stage) => (await order(stage)).change('subscription.renewed')),
    state('premium-expiry', 'An expiry', async (stage) => (await order(stage)).change('subscription.expired')),
    state('premium-revocation', 'A revocation', async (stage) => (await order(stage)).change('subscription.revoked')),
    state('owner-report', 'A report to the owner: a role that cannot be given', async (stage) => {
      const { discord } = stage.sandbox;
      discord.guild.moveRole(discord.roles.voter, 8);
      stage.pass(cooldownMs);
      const vote = () => stage.vote('tobias_k');
      return shown((await stage.newMessages(stage.channels.general, vote)).at(-1));
    }),
  ],
};
