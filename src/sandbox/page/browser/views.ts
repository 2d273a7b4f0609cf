import type { PageStore, StoreChange } from './store.ts';

/** Where news of a kind is seen. */
const viewByChange: Partial<Record<StoreChange['kind'], string>> = { message: 'chat', timeline: 'service' };

/** On a narrow screen Discord and the service take turns; a small mark says that something happened in the other one. */
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
