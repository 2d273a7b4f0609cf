import { textsOf } from '../../discord/normalized-components.ts';
import { element, findById } from './element.ts';
import type { PageStore, State } from './store.ts';

type Item = State['timeline'] extends Map<string, infer Each> ? Each : never;

interface Hint {
  /** The hint is done after any of these actions. */
  readonly actions: readonly string[];
  /** Whether the page shows that it is done. */
  readonly isDone?: (state: Readonly<State>) => boolean;
  /** The command that it needs; it is left out while the bot does not offer it. */
  readonly command?: string;
  /** Text and code to type. */
  readonly parts: readonly (string | { readonly code: string })[];
}

/** First steps for a new user, in order. */
const hints: readonly Hint[] = [
  { actions: ['vote'], parts: ['Press Vote: the bot announces it in #votes and adds credits.'] },
  {
    actions: ['role'],
    isDone: showsVoter,
    parts: ['Voters have the role Voter for 12 hours. Press the name of one in the list of members to see it.'],
  },
  {
    actions: ['canvote'],
    parts: ['Type ', { code: '/canvote' }, ' in the message box to see when you can vote again.'],
  },
  {
    actions: ['reviews', 'stats'],
    parts: ['Try ', { code: '/reviews' }, ' and use its page buttons, or ', { code: '/stats' }, '.'],
  },
  {
    actions: ['streak'],
    isDone: ({ messages }) => showsText(messages, '-day streak:'),
    parts: ['Press +12 hours, then Vote, and repeat it: on the third day in a row the streak earns 50 credits.'],
  },
  {
    actions: ['party'],
    isDone: ({ messages }) => showsText(messages, 'Goal of'),
    parts: ['The vote party in #votes needs 5 votes in a week: vote for both listings, also as other members.'],
  },
  {
    actions: ['credits'],
    command: 'credits',
    parts: ['Type ', { code: '/credits' }, ' to see what you have earned, your rank and your streak.'],
  },
  {
    actions: ['shop'],
    command: 'shop',
    parts: ['Spend your credits: type ', { code: '/shop' }, ', and buy the role VIP or a game key.'],
  },
  {
    actions: ['remind'],
    command: 'remind',
    parts: ['Press Remind me below a vote in #votes: the bot sends a direct message when you can vote again.'],
  },
  { actions: ['fault'], parts: ['Inject a fault: press Repeat delivery. The duplicate adds no credits.'] },
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

/** Shows the first hint that is not done yet. */
export function startHints(store: PageStore): void {
  const { state } = store;
  const { tried, timeline } = state;
  function render(): void {
    const offered = hints.filter(({ command }) => command === undefined || isOffered(command));
    const next = offered.findIndex(({ actions }) => !actions.some((each) => tried.has(each)));
    const parts = offered[next]?.parts ?? [];
    findById('hint-panel').hidden = parts.length === 0;
    findById('hint-count').textContent = `Try this (${next + 1} of ${offered.length}):`;
    findById('hint').replaceChildren(
      ...parts.map((part) => (typeof part === 'string' ? part : element('code', {}, part.code))),
    );
  }

  function isOffered(command: string): boolean {
    return state.commands.some(({ name }) => name === command);
  }

  /** What other views do not report. */
  function findDone(): void {
    for (const { actions, isDone } of hints) {
      const [action] = actions;
      if (action !== undefined && !tried.has(action) && isDone?.(state)) store.tried(action);
    }
  }

  render();
  store.subscribe((change) => {
    if (['tried', 'full_state', 'sidebar'].includes(change.kind)) render();
    if (['full_state', 'sidebar', 'message', 'profile'].includes(change.kind)) findDone();
    const items = change.kind === 'timeline' ? [change.item] : change.kind === 'full_state' ? timeline.values() : [];
    for (const item of items) if (isRecordedVote(item)) store.tried('vote');
  });
}

/** Includes votes from the service's own pages, from `tallyhook send`, and from before the page was opened. */
function isRecordedVote(item: Item): boolean {
  if (item.kind !== 'delivery' || !item.steps.some(({ name }) => name === 'recorded')) return false;
  return item.event === null || item.event.endsWith('_vote');
}
