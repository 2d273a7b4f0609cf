import type { Select } from '../../discord/component-schema.ts';
import type { Modal } from '../../discord/modal.ts';
import { element, findById } from './element.ts';
import { renderMarkdown } from './render-markdown.ts';
import { postAction } from './requests.ts';
import { selectOptions } from './select.ts';
import type { PageStore, State, StoreChange } from './store.ts';

type Part = Modal['components'][number];
type Label = Extract<Part, { type: 18 }>;
type TextInput = Extract<Label['component'], { type: 4 }>;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;
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

/** The fields of a modal, each with its label. Discord: "Modal", "Label", "Text Input". */
function modalFields({ components }: Modal, state: State): HTMLElement[] {
  return components.map((part) => {
    if (part.type === 10) return element('div', { class: 'content' }, renderMarkdown(part.content, state));
    if (part.type === 18) return labeledField(part, state);
    const [field] = part.components;
    return labeledField(
      { type: 18, label: field?.label ?? '', component: { ...field, label: null } as TextInput },
      state,
    );
  });
}

/** The submitted values by custom id: texts, or lists of selected values. */
function modalValues(form: HTMLFormElement): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const control of form.elements) {
    if (control instanceof HTMLSelectElement) {
      values[control.name] = [...control.selectedOptions].map(({ value }) => value).filter(Boolean);
    } else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) {
      values[control.name] = control.value;
    }
  }
  return values;
}

function labeledField({ label, description, component: field }: Label, state: State): HTMLElement {
  const id = `field-${field.custom_id}`;
  const isRequired = field.required ?? true;
  const star = isRequired ? element('span', { class: 'required', 'aria-hidden': 'true' }, ' *') : null;
  const hint = description ? element('p', { class: 'field-hint', id: `${id}-hint` }, description) : null;
  const attributes = { id, name: field.custom_id, required: isRequired, 'aria-describedby': hint?.id };
  const control = field.type === 4 ? textField(field, attributes) : selectField(field, attributes, state);
  return element('div', { class: 'modal-field' }, element('label', { for: id }, label, star), hint, control);
}

function textField(field: TextInput, attributes: Attributes): HTMLElement {
  const inputAttributes = {
    ...attributes,
    minlength: field.min_length || null,
    maxlength: field.max_length ?? 4000,
    placeholder: field.placeholder,
  };
  if (field.style === 2) return element('textarea', { ...inputAttributes, rows: 4 }, field.value ?? '');
  return element('input', { ...inputAttributes, type: 'text', value: field.value ?? '' });
}

function selectField(field: Select, attributes: Attributes, state: State): HTMLElement {
  const multiple = (field.max_values ?? 1) > 1;
  const options = selectOptions(field, state).map(({ value, label, hint, selected }) =>
    element('option', { value, selected }, hint ? `${label} – ${hint}` : label),
  );
  const placeholder = multiple ? [] : [element('option', { value: '' }, field.placeholder ?? 'Choose')];
  return element('select', { ...attributes, multiple }, ...placeholder, ...options);
}
