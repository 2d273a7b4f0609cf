import { findById } from './element.ts';
import { modalFields, modalValues } from './modal-fields.ts';
import { postAction } from './requests.ts';
import type { PageStore, StoreChange } from './store.ts';

type OpenModal = Extract<StoreChange, { kind: 'modal' }>;

/** The dialog for a modal that the bot opens for the acting member. */
export function startModal(store: PageStore): void {
  const { state } = store;
  const dialog = findById<HTMLDialogElement>('modal');
  const form = findById<HTMLFormElement>('modal-form');
  const error = findById('modal-error');
  let openModal: OpenModal | undefined;

  function showModal(modal: OpenModal): void {
    openModal = modal;
    error.textContent = '';
    findById('modal-title').textContent = modal.modal.title;
    findById('modal-fields').replaceChildren(...modalFields(modal.modal, state));
    if (!dialog.open) dialog.showModal();
    form.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }

  async function submit({ interactionId, userId }: OpenModal): Promise<void> {
    const response = await postAction('/page/modals', { interactionId, userId, values: modalValues(form) });
    if (response.error !== undefined) {
      error.textContent = response.error;
      return;
    }
    store.addPending(response.interactionId, { name: null, userId, channelId: state.channelId });
    dialog.close();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (openModal !== undefined) void submit(openModal);
  });
  // Chromium restores the focus without the caret, so typed text would be lost.
  dialog.addEventListener('close', () => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement)) return;
    focused.blur();
    focused.focus();
  });
  findById('modal-cancel').addEventListener('click', () => dialog.close());
  store.subscribe((change) => {
    if (change.kind === 'modal' && change.userId === state.userId) showModal(change);
    if (change.kind === 'acting') dialog.close();
  });
}
