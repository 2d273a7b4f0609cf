import { findById } from './element.ts';
import type { PageStore } from './store.ts';

/** What narrow screens show at a time. */
export type View = 'chat' | 'service';

/** The view that shows a kind of change. */
const viewByChange: Readonly<Record<'message' | 'timeline', View>> = { message: 'chat', timeline: 'service' };

/** Switches between Discord and the service on narrow screens, and marks the hidden view after a change in it. */
export function startViews(store: PageStore): void {
  const app = document.querySelector<HTMLElement>('.app');
  const buttons = [...document.querySelectorAll<HTMLElement>('.views button')];
  const hint = findById('hint-panel');
  const go = findById('hint-go');

  function show(view: string): void {
    if (app) app.dataset['view'] = view;
    for (const button of buttons) {
      const isShown = button.dataset['show'] === view;
      button.setAttribute('aria-pressed', String(isShown));
      if (isShown) button.classList.remove('news');
    }
    renderGo();
  }

  /** Leads to the view in which the current hint is done. */
  function renderGo(): void {
    const target = hint.dataset['view'];
    const button = buttons.find(({ dataset }) => dataset['show'] === target);
    go.hidden = button === undefined || app?.dataset['view'] === target;
    go.textContent = `Go to ${button?.textContent ?? ''}`;
  }

  for (const button of buttons) button.addEventListener('click', () => show(button.dataset['show'] ?? ''));
  go.addEventListener('click', () => show(hint.dataset['view'] ?? ''));
  store.on(['tried', 'full_state', 'sidebar', 'tour'], renderGo);
  store.on(['message', 'timeline'], ({ kind }) => {
    const view = viewByChange[kind];
    if (app?.dataset['view'] !== view) buttons.find(({ dataset }) => dataset['show'] === view)?.classList.add('news');
  });
}
