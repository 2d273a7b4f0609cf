import type { Select } from '../../component-schema.ts';
import type { Modal } from '../../modal.ts';
import { renderMarkdown } from '../../web/browser/render-markdown.ts';
import { optionElement, toSelectOption } from '../../web/browser/select.ts';
import type { MessageView, SelectOption } from '../../web/browser/shown-message.ts';
import type { ActionInput, DiscordActions } from '../page-actions.ts';
import { findById, html, nothing, type TemplateResult, toElement } from './element.ts';
import { messageView, selectOptions } from './message-view.ts';
import { postAction } from './requests.ts';
import type { PageStore, State, StoreChange } from './store.ts';

type OpenModal = Extract<StoreChange, { kind: 'modal' }>;

/** The dialog for a modal that the bot opens for the acting member. */
export function startModal(store: PageStore, linkTo: MessageView['linkTo']): void {
  const { state } = store;
  const dialog = findById<HTMLDialogElement>('modal');
  const form = findById<HTMLFormElement>('modal-form');
  const error = findById('modal-error');
  let openModal: OpenModal | undefined;

  function showModal(modal: OpenModal): void {
    openModal = modal;
    error.textContent = '';
    findById('modal-title').textContent = modal.modal.title;
    findById('modal-fields').replaceChildren(...modalFields(modal.modal, state, linkTo));
    if (!dialog.open) dialog.showModal();
    form.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }

  async function submit({ interactionId, userId }: OpenModal): Promise<void> {
    const response = await postAction('/page/modals', { interactionId, userId, values: await modalValues(form) });
    if (response.error !== undefined) {
      error.textContent = response.error;
      return;
    }
    store.addPending(response.interactionId, { name: null, userId, channelId: state.channelId });
    close();
  }

  /** Chromium restores the focus without the caret, so typed text would be lost, even before it fires `close`. */
  function close(): void {
    if (!dialog.open) return;
    dialog.close();
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement)) return;
    focused.blur();
    focused.focus();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (openModal !== undefined) void submit(openModal);
  });
  findById('modal-cancel').addEventListener('click', close);
  // By the Escape key.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  store.on(['modal'], (modal) => {
    if (modal.userId === state.userId) showModal(modal);
  });
  store.on(['acting'], close);
}

type Part = Modal['components'][number];
type Label = Extract<Part, { type: 18 }>;
type Field = Label['component'];
type TextInput = Extract<Field, { type: 4 }>;

/** The fields of a modal, each with its label. Discord: "Modal", "Label", "Text Input". */
function modalFields({ components }: Modal, state: State, linkTo: MessageView['linkTo']): HTMLElement[] {
  return components.map((part) => {
    if (part.type === 10)
      return toElement(html`<div class="content">${renderMarkdown(part.content, messageView(state, linkTo))}</div>`);
    if (part.type === 18) return labeledField(part, state);
    const [field] = part.components;
    const component = { ...field, label: null } as TextInput;
    return labeledField({ type: 18, label: field?.label ?? '', component }, state);
  });
}

type ModalValues = ActionInput<DiscordActions, '/page/modals'>['values'];

/** The submitted values by custom id: texts, lists of selected values, whether single boxes are checked, and text files. */
async function modalValues(form: HTMLFormElement): Promise<ModalValues> {
  const values: ModalValues = {};
  const checkedValues = (group: HTMLElement) =>
    [...group.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
  for (const group of form.querySelectorAll('fieldset')) values[group.name] = checkedValues(group);
  for (const control of form.elements) {
    if (control.closest('fieldset') !== null) continue;
    if (control instanceof HTMLSelectElement) {
      values[control.name] = [...control.selectedOptions].map(({ value }) => value).filter(Boolean);
    } else if (control instanceof HTMLInputElement && control.type === 'file') {
      const file = control.files?.[0];
      if (file !== undefined) values[control.name] = { filename: file.name, text: await file.text() };
    } else if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      values[control.name] = control.checked;
    } else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) {
      values[control.name] = control.value;
    }
  }
  return values;
}

/** Parts of every field: its label, with a star if a value is required, and a hint with the id `hintId`. */
interface FieldFrame {
  readonly id: string;
  readonly name: string;
  readonly label: TemplateResult;
  readonly hint: TemplateResult | typeof nothing;
  readonly hintId: string | typeof nothing;
  readonly isRequired: boolean;
}

function labeledField({ label, description, component: field }: Label, state: State): HTMLElement {
  const id = `field-${field.custom_id}`;
  const isRequired = field.type !== 23 && (field.required ?? true);
  const frame: FieldFrame = {
    id,
    name: field.custom_id,
    label: html`${label}${isRequired ? html`<span class="required" aria-hidden="true"> *</span>` : nothing}`,
    hint: description ? html`<p class="field-hint" id="${id}-hint">${description}</p>` : nothing,
    hintId: description ? `${id}-hint` : nothing,
    isRequired,
  };
  switch (field.type) {
    case 4:
      return framed(frame, textField(field, frame));
    case 19:
      return framed(frame, fileField(frame));
    case 21:
      return boxes(frame, 'radio', field.options.map(toSelectOption), [1, 1]);
    case 22: {
      const bounds = [field.min_values ?? 1, field.max_values ?? field.options.length] as const;
      return boxes(frame, 'checkbox', field.options.map(toSelectOption), bounds);
    }
    case 23:
      return singleCheckbox(frame, field.default === true);
    default:
      return selectField(frame, field, state);
  }
}

function framed({ id, label, hint }: FieldFrame, control: TemplateResult): HTMLElement {
  return toElement(html`<div class="modal-field"><label for=${id}>${label}</label>${hint}${control}</div>`);
}

function textField(field: TextInput, { id, name, hintId, isRequired }: FieldFrame): TemplateResult {
  const { value, placeholder } = field;
  const [min, max] = [field.min_length || nothing, field.max_length ?? 4000];
  return field.style === 2
    ? html`<textarea id=${id} name=${name} ?required=${isRequired} aria-describedby=${hintId} minlength=${min} maxlength=${max} placeholder=${placeholder ?? nothing} rows="4" .defaultValue=${value ?? ''}></textarea>`
    : html`<input id=${id} name=${name} ?required=${isRequired} aria-describedby=${hintId} minlength=${min} maxlength=${max} placeholder=${placeholder ?? nothing} type="text" value=${value ?? ''}>`;
}

function fileField({ id, name, hintId, isRequired }: FieldFrame): TemplateResult {
  return html`<input id=${id} name=${name} ?required=${isRequired} aria-describedby=${hintId} type="file">`;
}

/** A select with several values shows checkboxes: a native list loses its selection with one wrong click. */
function selectField(frame: FieldFrame, field: Select, state: State): HTMLElement {
  const options = selectOptions(field, state);
  const maxValues = field.max_values ?? 1;
  if (maxValues > 1) return boxes(frame, 'checkbox', options, [field.min_values ?? 1, maxValues]);
  const { id, name, hintId, isRequired } = frame;
  const select = html`<select id=${id} name=${name} ?required=${isRequired} aria-describedby=${hintId}>
    <option value="">${field.placeholder ?? 'Choose'}</option>
    ${options.map(optionElement)}
  </select>`;
  return framed(frame, select);
}

/** Radios or checkboxes, of which between `min` and `max` must be checked if a value is required. */
function boxes(
  { id, name, label, hint, hintId, isRequired }: FieldFrame,
  type: 'radio' | 'checkbox',
  options: readonly SelectOption[],
  [min, max]: readonly [number, number],
): HTMLElement {
  const group = type === 'radio' ? `${name}-choice` : nothing;
  const row = ({ value, label: text, hint: note, selected }: SelectOption, index: number) =>
    html`<label class="choice" for="${id}-${index}">
      <input type=${type} id="${id}-${index}" name=${group} value=${value} ?checked=${selected}>
      <span>${text}${note ? html`<span class="field-hint">${note}</span>` : nothing}</span>
    </label>`;
  function validate(): void {
    const inputs = [...fieldset.querySelectorAll('input')];
    const count = inputs.filter((input) => input.checked).length;
    const isInvalid = count > max || (count < min && (isRequired || count > 0));
    inputs[0]?.setCustomValidity(isInvalid ? `Choose ${min === max ? min : `${min} to ${max}`}.` : '');
  }
  const fieldset =
    toElement(html`<fieldset class="modal-field" name=${name} aria-describedby=${hintId} @change=${() => validate()}>
    <legend>${label}</legend>${hint}
    <div class="choices">${options.map(row)}</div>
  </fieldset>`);
  validate();
  return fieldset;
}

function singleCheckbox({ id, name, label, hint, hintId }: FieldFrame, checked: boolean): HTMLElement {
  return toElement(html`<div class="modal-field"><label class="choice" for=${id}>
    <input type="checkbox" id=${id} name=${name} ?checked=${checked} aria-describedby=${hintId}>${label}</label>${hint}</div>`);
}
