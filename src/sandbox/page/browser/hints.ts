import { element, find } from './element.ts';
import type { PageStore, State } from './store.ts';

type Item = State['timeline'] extends Map<string, infer Each> ? Each : never;

interface Hint {
  /** Any of these, once tried, is enough. */
  readonly by: readonly string[];
  /** What to do; codes are what to type. */
  readonly words: readonly (string | { readonly code: string })[];
}

/** What a newcomer could do first, one after the other. */
const hints: readonly Hint[] = [
  { by: ['vote'], words: ['Press Vote: a thank-you appears in #votes, and the credits arrive.'] },
  { by: ['canvote'], words: ['Type ', { code: '/canvote' }, ' in the message box: may you vote again?'] },
  {
    by: ['reviews', 'stats'],
    words: ['Try ', { code: '/reviews' }, ' and turn its pages, or ', { code: '/stats' }, '.'],
  },
  { by: ['trouble'], words: ['Make trouble: press Repeat delivery, and see that it pays nothing.'] },
];

/** Shows the first thing that was not tried yet. */
export function startHints(store: PageStore): void {
  const { tried, timeline } = store.state;
  function draw(): void {
    const next = hints.findIndex(({ by }) => !by.some((each) => tried.has(each)));
    const words = hints[next]?.words ?? [];
    find('hint-panel').hidden = words.length === 0;
    find('hint-count').textContent = `Try this, ${next + 1} of ${hints.length}`;
    find('hint').replaceChildren(
      ...words.map((part) => (typeof part === 'string' ? part : element('code', {}, part.code))),
    );
  }
  draw();
  store.subscribe((changed) => {
    if (changed.kind === 'tried') draw();
    const news = changed.kind === 'timeline' ? [changed.item] : changed.kind === 'everything' ? timeline.values() : [];
    for (const item of news) if (isRecordedVote(item)) store.tried('vote');
  });
}

/** Also one that was not cast on this page: on the service's own pages, by `tallyhook send`, or before the page was opened. */
function isRecordedVote(item: Item): boolean {
  if (item.kind !== 'delivery' || !item.steps.some(({ name }) => name === 'recorded')) return false;
  return item.event === null || item.event.endsWith('_vote');
}
