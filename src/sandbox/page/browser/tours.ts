import { controlsOf, html, type PageStore, type TemplateResult, type View } from 'local-discord/page/browser';
import type { StepName, TourName } from '../ports.ts';
import type { Item, State } from './sandbox-store.ts';

type Shown = PageStore['state'] & Readonly<State>;

export interface TourStep {
  /** As it is stored. */
  readonly name: string;
  /** Whether the page shows that it is done, unless `PageStore.tried` says so. */
  readonly isDone?: (state: Shown) => boolean;
  /** The command that it needs; it is left out while the bot does not offer it. */
  readonly command?: string;
  /** Where it is done, unless in the card itself. */
  readonly view?: View;
  readonly text: TemplateResult;
}

export interface Tour {
  readonly title: string;
  /** Whether it needs a bot that knows the listings, or one that learns them with `/setup`. */
  readonly isLinked: boolean;
  /** The page of the documents that continues where it ends. */
  readonly guide: string;
  readonly steps: readonly TourStep[];
}

const guides = 'https://github.com/tallyhook/tallyhook/blob/main/docs/guides';

export const tours: Readonly<Record<TourName, Tour>> = {
  vote: {
    title: 'I vote',
    isLinked: true,
    guide: `${guides}/member.md`,
    steps: [
      {
        name: 'vote',
        isDone: hasVote,
        view: 'side',
        text: html`Press <b>Vote for the server</b>: the bot announces it in #votes and pays 10 credits.`,
      },
      {
        name: 'canvote',
        view: 'chat',
        text: html`Type <code>/canvote</code> in the message box: it says where you can vote next.`,
      },
      {
        name: 'everywhere',
        isDone: ({ timeline }) => anyStep(timeline, ({ text }) => text.includes('voted on all listings')),
        view: 'side',
        text: html`Vote for the bot and on the other sites, too: all of them in one day earn 20 credits more.`,
      },
      {
        name: 'credits',
        command: 'credits',
        view: 'chat',
        text: html`Type <code>/credits</code>: one balance for all sites, with your rank and your streak.`,
      },
      {
        name: 'remind/on',
        command: 'remind',
        view: 'chat',
        text: html`Press <b>Remind me</b> below a vote in #votes.`,
      },
      {
        name: 'reminder',
        isDone: hasDirectMessage,
        command: 'remind',
        view: 'side',
        text: html`Press <b>+12 hours</b>: within seconds the bot writes to you that you can vote again.`,
      },
      {
        name: 'purchase',
        command: 'shop',
        view: 'chat',
        text: html`Spend your credits: type <code>/shop</code>, and buy the role VIP or a game key.`,
      },
    ],
  },
  own: {
    title: 'I own a server',
    isLinked: false,
    guide: `${guides}/owner.md`,
    steps: [
      {
        name: 'link',
        isDone: ({ commands }) => commands.some(({ name }) => name === 'canvote'),
        view: 'chat',
        text: html`Type <code>/setup</code> and link Lantern Harbour: press <b>Connect</b>, sign in as mira and agree. Or paste its
          API key, from Edit server, Advanced setup, on the website of the listing service.`,
      },
      {
        name: 'webhook',
        isDone: ({ timeline }) => anyStep(timeline, ({ name }) => name === 'test' || name === 'recorded'),
        view: 'chat',
        text: html`Enter the address and the secret from <code>/setup</code> on the same website, Edit server, Vote Webhooks, and
          press Test Webhook: <b>Connect</b> does all of that. Then choose #votes and a preset here.`,
      },
      {
        name: 'vote',
        isDone: hasVote,
        view: 'side',
        text: html`Press <b>Vote for the server</b>: your first voter is paid.`,
      },
      {
        name: 'role',
        isDone: hasVoter,
        view: 'chat',
        text: html`Give voters a role: in <code>/setup</code>, <b>Roles</b>. It comes with the next vote: press +12 hours, and
          vote.`,
      },
      {
        name: 'item',
        isDone: ({ messages }) => messages.some(({ message: { components } }) => hasControl(components, 'shop/buy')),
        view: 'chat',
        text: html`Open a shop: in <code>/setup</code>, <b>Shop</b>, add an item. Then look at it with <code>/shop</code>.`,
      },
      {
        name: 'trace',
        view: 'chat',
        text: html`“I voted and got nothing”: type <code>/trace</code> with a member to see what became of each vote.`,
      },
      {
        name: 'setup/undo',
        view: 'chat',
        text: html`Take something back: in <code>/setup</code>, <b>History</b>, press Undo.`,
      },
    ],
  },
  run: {
    title: 'I run it',
    isLinked: true,
    guide: `${guides}/self-hoster.md`,
    steps: [
      {
        name: 'console',
        text: html`Open the <a href="/console" target="_blank" rel="noopener">owner console ↗</a>: members, deliveries, and
          what failed. This link signs you in.`,
      },
      {
        name: 'outage',
        isDone: ({ timeline }) => [...timeline.values()].some((item) => has(item, 'waiting') && has(item, 'announced')),
        view: 'side',
        text: html`Press <b>Discord down</b>, then vote: it is paid at once, and announced when Discord is back.`,
      },
      {
        name: 'duplicate',
        isDone: ({ timeline }) => anyStep(timeline, ({ name }) => name === 'duplicate'),
        view: 'side',
        text: html`Press <b>Repeat delivery</b>: the same vote again pays nothing.`,
      },
      {
        name: 'forgery',
        isDone: ({ timeline }) =>
          anyStep(timeline, ({ name, text }) => name === 'refused' && text.includes('does not match')),
        view: 'side',
        text: html`Press <b>Break signature</b>: a forged vote is rejected.`,
      },
      {
        name: 'doctor',
        view: 'side',
        text: html`Press <b>Run doctor</b>: it checks settings, Discord, keys, addresses and the database.`,
      },
    ],
  },
};

function anyStep(timeline: Shown['timeline'], matches: (step: { name: StepName; text: string }) => boolean): boolean {
  return [...timeline.values()].some((item) => item.kind === 'delivery' && item.steps.some(matches));
}

function has(item: Item, step: StepName): boolean {
  return item.kind === 'delivery' && item.steps.some(({ name }) => name === step);
}

/** Includes votes from the service's own pages, from `tallyhook send`, and from before the page was opened. */
function hasVote({ timeline }: Shown): boolean {
  return [...timeline.values()].some((item) => {
    const isVote = item.kind === 'delivery' && (item.event === null || item.event.endsWith('_vote'));
    return isVote && has(item, 'recorded');
  });
}

/** Whether a member has the role that voters get. */
function hasVoter({ members, roles }: Shown): boolean {
  const voter = roles.find(({ name }) => name === 'Voter');
  return members.some((member) => voter !== undefined && member.roles.includes(voter.id));
}

/** Whether the bot has written to a member of its own accord. */
function hasDirectMessage({ channels, messages }: Shown): boolean {
  const direct = channels.filter(({ kind }) => kind === 'direct').map(({ id }) => id);
  return messages.some(({ message }) => direct.includes(message.channel_id) && message.interaction === undefined);
}

function hasControl(components: Shown['messages'][number]['message']['components'], action: string): boolean {
  return controlsOf(components).some(({ custom_id: id }) => id?.startsWith(`tallyhook:${action}:`));
}
