import { find } from './element.ts';
import { fieldsOf, valuesIn } from './modal-fields.ts';
import { ask } from './requests.ts';
import type { Changed, PageStore } from './store.ts';

type Opened = Extract<Changed, { kind: 'modal' }>;

/** The form that a bot opens in answer to a command or a click of whoever is acting. */
export function startModal(store: PageStore): void {
  const { state } = store;
  const dialog = find<HTMLDialogElement>('modal');
  const form = find<HTMLFormElement>('modal-form');
  const error = find('modal-error');
  let opened: Opened | undefined;

  function open(news: Opened): void {
    opened = news;
    error.textContent = '';
    find('modal-title').textContent = news.modal.title;
    find('modal-fields').replaceChildren(...fieldsOf(news.modal, state));
    if (!dialog.open) dialog.showModal();
    form.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }

  async function submit({ interactionId, userId }: Opened): Promise<void> {
    const answer = await ask('/page/modals', { interactionId, userId, values: valuesIn(form) });
    if (answer.error !== undefined) {
      error.textContent = answer.error;
      return;
    }
    store.sent(answer.interactionId, { name: null, userId, channelId: state.channelId });
    dialog.close();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (opened !== undefined) void submit(opened);
  });
  // The browser gives the focus back, but Chromium not the caret with it: what is typed then is lost.
  dialog.addEventListener('close', () => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement)) return;
    focused.blur();
    focused.focus();
  });
  find('modal-cancel').addEventListener('click', () => dialog.close());
  store.subscribe((changed) => {
    if (changed.kind === 'modal' && changed.userId === state.userId) open(changed);
    if (changed.kind === 'acting') dialog.close();
  });
}
