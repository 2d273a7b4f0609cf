import type { PageStore, StoreChange } from './store.ts';

/** The view that shows a kind of change. */
const viewByChange: Partial<Record<StoreChange['kind'], string>> = { message: 'chat', timeline: 'service' };

/** Switches between Discord and the service on narrow screens, and marks the hidden view after a change in it. */
export function startViews(store: PageStore): void {
  const app = document.querySelector<HTMLElement>('.app');
  const buttons = [...document.querySelectorAll<HTMLElement>('.views button')];

  function show(view: string): void {
    if (app) app.dataset['view'] = view;
    for (const button of buttons) {
      const isShown = button.dataset['show'] === view;
      button.setAttribute('aria-pressed', String(isShown));
      if (isShown) button.classList.remove('news');
    }
  }

  for (const button of buttons) button.addEventListener('click', () => show(button.dataset['show'] ?? ''));
  store.subscribe(({ kind }) => {
    const view = viewByChange[kind];
    if (view === undefined || app?.dataset['view'] === view) return;
    buttons.find(({ dataset }) => dataset['show'] === view)?.classList.add('news');
  });
}
