import { element, findById } from './element.ts';
import type { PageStore, State } from './store.ts';

type Item = State['timeline'] extends Map<string, infer Each> ? Each : never;

interface Hint {
  /** The hint is done after any of these actions. */
  readonly actions: readonly string[];
  /** Text and code to type. */
  readonly parts: readonly (string | { readonly code: string })[];
}

/** First steps for a new user, in order. */
const hints: readonly Hint[] = [
  { actions: ['vote'], parts: ['Press Vote: the bot announces it in #votes and adds credits.'] },
  {
    actions: ['canvote'],
    parts: ['Type ', { code: '/canvote' }, ' in the message box to see when you can vote again.'],
  },
  {
    actions: ['reviews', 'stats'],
    parts: ['Try ', { code: '/reviews' }, ' and use its page buttons, or ', { code: '/stats' }, '.'],
  },
  { actions: ['fault'], parts: ['Inject a fault: press Repeat delivery. The duplicate adds no credits.'] },
];

/** Shows the first hint that is not done yet. */
export function startHints(store: PageStore): void {
  const { tried, timeline } = store.state;
  function render(): void {
    const next = hints.findIndex(({ actions }) => !actions.some((each) => tried.has(each)));
    const parts = hints[next]?.parts ?? [];
    findById('hint-panel').hidden = parts.length === 0;
    findById('hint-count').textContent = `Try this (${next + 1} of ${hints.length}):`;
    findById('hint').replaceChildren(
      ...parts.map((part) => (typeof part === 'string' ? part : element('code', {}, part.code))),
    );
  }
  render();
  store.subscribe((change) => {
    if (change.kind === 'tried') render();
    const items = change.kind === 'timeline' ? [change.item] : change.kind === 'full_state' ? timeline.values() : [];
    for (const item of items) if (isRecordedVote(item)) store.tried('vote');
  });
}

/** Includes votes from the service's own pages, from `tallyhook send`, and from before the page was opened. */
function isRecordedVote(item: Item): boolean {
  if (item.kind !== 'delivery' || !item.steps.some(({ name }) => name === 'recorded')) return false;
  return item.event === null || item.event.endsWith('_vote');
}
