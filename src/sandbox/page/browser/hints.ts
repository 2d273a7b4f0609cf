import { textsOf } from '../../discord/objects.ts';
import { findById, html, render, type TemplateResult } from './element.ts';
import { postAction } from './requests.ts';
import type { Item, PageStore, State } from './store.ts';
import type { View } from './views.ts';

interface Hint {
  /** The hint is done after any of these steps; the first one names it. */
  readonly steps: readonly [string, ...string[]];
  /** Whether the page shows that it is done. */
  readonly isDone?: (state: Readonly<State>) => boolean;
  /** The command that it needs; it is left out while the bot does not offer it. */
  readonly command?: string;
  /** Whether it concerns a bot with the sandbox's own listings, or one that is set up with `/setup` (default: both). */
  readonly only?: 'linked' | 'unlinked';
  /** Where it is done. */
  readonly view: View;
  readonly text: string | TemplateResult;
}

/** First steps for a new user, in order. */
const hints: readonly Hint[] = [
  {
    steps: ['link'],
    isDone: ({ commands }) => commands.some(({ name }) => name === 'canvote'),
    only: 'unlinked',
    view: 'chat',
    text: html`Type <code>/setup</code> and link Lantern Harbour. You get its API key on the website of the listing service:
      sign in as mira, then Edit server, Advanced setup.`,
  },
  {
    steps: ['webhook'],
    isDone: ({ timeline }) => [...timeline.values()].some((item) => hasStep(item, 'test') || hasStep(item, 'recorded')),
    only: 'unlinked',
    view: 'chat',
    text: html`Enter the addresses and secrets from <code>/setup</code> on the same website: Edit server, Vote Webhooks. Then
      press Test Webhook there, and choose #votes and a preset here.`,
  },
  { steps: ['vote'], view: 'service', text: 'Press Vote: the bot announces it in #votes and adds credits.' },
  {
    steps: ['role'],
    isDone: showsVoter,
    only: 'linked',
    view: 'chat',
    text: 'Voters have the role Voter for 12 hours. Press the picture beside “Acting as” to see the roles of a voter.',
  },
  {
    steps: ['canvote'],
    view: 'chat',
    text: html`Type <code>/canvote</code> in the message box to see when you can vote again.`,
  },
  {
    steps: ['reviews', 'stats'],
    view: 'chat',
    text: html`Try <code>/reviews</code> and use its page buttons, or <code>/stats</code>.`,
  },
  {
    steps: ['streak'],
    isDone: ({ messages }) => showsText(messages, '-day streak:'),
    only: 'linked',
    view: 'service',
    text: 'Press +12 hours, then Vote, and repeat it: on the third day in a row the streak earns 50 credits.',
  },
  {
    steps: ['party'],
    isDone: ({ messages }) => showsText(messages, 'The goal is reached!'),
    only: 'linked',
    view: 'service',
    text: 'The vote party in #votes needs 5 votes in a week: vote for both listings, also as other members.',
  },
  {
    steps: ['credits'],
    command: 'credits',
    view: 'chat',
    text: html`Type <code>/credits</code> to see what you have earned, your rank and your streak.`,
  },
  {
    steps: ['purchase'],
    command: 'shop',
    view: 'chat',
    text: html`Spend your credits: type <code>/shop</code>, and buy the role VIP or a game key.`,
  },
  {
    steps: ['remind'],
    command: 'remind',
    view: 'chat',
    text: 'Press Remind me below a vote in #votes: the bot sends a direct message when you can vote again.',
  },
  {
    steps: ['fault'],
    view: 'service',
    text: 'Inject a fault: press Repeat delivery. The duplicate adds no credits.',
  },
];

/** Whether the open profile is that of a member with the role. */
function showsVoter({ members, roles, profileId }: Readonly<State>): boolean {
  const voter = roles.find(({ name }) => name === 'Voter');
  return members.some(({ id, roles: own }) => id === profileId && voter !== undefined && own.includes(voter.id));
}

/** In an embed or a panel. */
function showsText(messages: State['messages'], wanted: string): boolean {
  return messages.some(({ message: { embeds, components } }) => {
    const ofEmbeds = embeds.flatMap(({ description, footer }) => [description ?? '', footer?.text ?? '']);
    return [...ofEmbeds, ...textsOf(components)].some((text) => text.includes(wanted));
  });
}

/** Shows the first hint that is not done yet. The sandbox remembers what was done. */
export function startHints(store: PageStore): void {
  const { state } = store;
  const { tried, timeline } = state;
  const panel = findById('hint-panel');

  function draw(): void {
    const offered = hints.filter(isOffered);
    const next = offered.findIndex(({ steps }) => !steps.some((each) => tried.has(each)));
    const hint = state.loaded ? offered[next] : undefined;
    panel.hidden = hint === undefined;
    panel.dataset['view'] = hint?.view ?? '';
    findById('hint-count').textContent = `Try this (${next + 1} of ${offered.length}):`;
    render(hint?.text, findById('hint'));
  }

  function isOffered({ command, only }: Hint): boolean {
    if (only !== undefined && (only === 'linked') !== state.isLinked) return false;
    return command === undefined || state.commands.some(({ name }) => name === command);
  }

  /** What other views do not report. */
  function findDone(): void {
    for (const hint of hints) {
      const [step] = hint.steps;
      if (isOffered(hint) && !tried.has(step) && hint.isDone?.(state)) store.tried(step);
    }
  }

  draw();
  const findVotes = (items: Iterable<Item>) => {
    for (const item of items) if (isRecordedVote(item)) store.tried('vote');
  };
  store.on(['tried'], ({ step }) => void postAction('/page/tour', { step }));
  store.on(['tried', 'full_state', 'sidebar'], draw);
  store.on(['full_state', 'sidebar', 'message', 'profile', 'timeline'], findDone);
  store.on(['timeline'], ({ item }) => findVotes([item]));
  store.on(['full_state'], () => findVotes(timeline.values()));
}

function hasStep(item: Item, step: 'recorded' | 'test'): boolean {
  return item.kind === 'delivery' && item.steps.some(({ name }) => name === step);
}

/** Includes votes from the service's own pages, from `tallyhook send`, and from before the page was opened. */
function isRecordedVote(item: Item): boolean {
  if (item.kind !== 'delivery' || !hasStep(item, 'recorded')) return false;
  return item.event === null || item.event.endsWith('_vote');
}
