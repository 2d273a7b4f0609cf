import type { PageStore, View } from './store.ts';

/** Switches between the chat and the column beside it on narrow screens, and marks the hidden view after a change in it. */
export function startViews(store: PageStore): void {
  const { state } = store;
  const app = document.querySelector<HTMLElement>('.app');
  const buttons = [...document.querySelectorAll<HTMLElement>('.views button')];
  const viewOf = (button: HTMLElement) => button.dataset['show'] as View;

  for (const button of buttons) button.addEventListener('click', () => store.showView(viewOf(button)));
  store.on(['view'], () => {
    if (app) app.dataset['view'] = state.view;
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(viewOf(button) === state.view));
      button.classList.toggle('news', state.changedViews.has(viewOf(button)));
    }
  });
  store.on(['message'], () => store.viewChanged('chat'));
  store.on(['activity'], () => store.viewChanged('side'));
}
