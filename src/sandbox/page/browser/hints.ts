import { element, findById } from './element.ts';
import type { PageStore, State } from './store.ts';

type Item = State['timeline'] extends Map<string, infer Each> ? Each : never;

interface Hint {
  /** Any of these, once tried, is enough. */
  readonly actions: readonly string[];
  /** What to do; codes are what to type. */
  readonly parts: readonly (string | { readonly code: string })[];
}

/** What a newcomer could do first, one after the other. */
const hints: readonly Hint[] = [
  { actions: ['vote'], parts: ['Press Vote: a thank-you appears in #votes, and the credits arrive.'] },
  { actions: ['canvote'], parts: ['Type ', { code: '/canvote' }, ' in the message box: may you vote again?'] },
  {
    actions: ['reviews', 'stats'],
    parts: ['Try ', { code: '/reviews' }, ' and turn its pages, or ', { code: '/stats' }, '.'],
  },
  { actions: ['trouble'], parts: ['Make trouble: press Repeat delivery, and see that it pays nothing.'] },
];

/** Shows the first thing that was not tried yet. */
export function startHints(store: PageStore): void {
  const { tried, timeline } = store.state;
  function render(): void {
    const next = hints.findIndex(({ actions }) => !actions.some((each) => tried.has(each)));
    const parts = hints[next]?.parts ?? [];
    findById('hint-panel').hidden = parts.length === 0;
    findById('hint-count').textContent = `Try this, ${next + 1} of ${hints.length}`;
    findById('hint').replaceChildren(
      ...parts.map((part) => (typeof part === 'string' ? part : element('code', {}, part.code))),
    );
  }
  render();
  store.subscribe((change) => {
    if (change.kind === 'tried') render();
    const items = change.kind === 'timeline' ? [change.item] : change.kind === 'everything' ? timeline.values() : [];
    for (const item of items) if (isRecordedVote(item)) store.tried('vote');
  });
}

/** Also one that was not cast on this page: on the service's own pages, by `tallyhook send`, or before the page was opened. */
function isRecordedVote(item: Item): boolean {
  if (item.kind !== 'delivery' || !item.steps.some(({ name }) => name === 'recorded')) return false;
  return item.event === null || item.event.endsWith('_vote');
}
