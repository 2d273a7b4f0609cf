import type { Select } from '../../discord/component-schema.ts';
import type { Modal } from '../../discord/modal.ts';
import { element, findById } from './element.ts';
import { renderMarkdown } from './render-markdown.ts';
import { postAction } from './requests.ts';
import { type SelectOption, selectOptions } from './select.ts';
import type { PageStore, State, StoreChange } from './store.ts';

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

type Part = Modal['components'][number];
type Label = Extract<Part, { type: 18 }>;
type Field = Label['component'];
type TextInput = Extract<Field, { type: 4 }>;

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

/** The submitted values by custom id: texts, lists of selected values, and whether single boxes are checked. */
function modalValues(form: HTMLFormElement): Record<string, string | string[] | boolean> {
  const values: Record<string, string | string[] | boolean> = {};
  for (const group of form.querySelectorAll('fieldset')) {
    const checked = [...group.querySelectorAll<HTMLInputElement>('input:checked')];
    values[group.name] = checked.map(({ value }) => value);
  }
  for (const control of form.elements) {
    if (control.closest('fieldset') !== null) continue;
    if (control instanceof HTMLSelectElement) {
      values[control.name] = [...control.selectedOptions].map(({ value }) => value).filter(Boolean);
    } else if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      values[control.name] = control.checked;
    } else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) {
      values[control.name] = control.value;
    }
  }
  return values;
}

/** What all fields have: their label, with a star if a value is required, and a hint. */
interface FieldFrame {
  readonly id: string;
  readonly label: readonly (Node | string)[];
  readonly hint: HTMLElement | null;
  readonly isRequired: boolean;
}

function labeledField({ label, description, component: field }: Label, state: State): HTMLElement {
  const id = `field-${field.custom_id}`;
  const isRequired = field.type !== 23 && (field.required ?? true);
  const star = element('span', { class: 'required', 'aria-hidden': 'true' }, ' *');
  const hint = description ? element('p', { class: 'field-hint', id: `${id}-hint` }, description) : null;
  const frame = { id, label: isRequired ? [label, star] : [label], hint, isRequired };
  switch (field.type) {
    case 4:
      return framed(frame, textField(field, frame));
    case 21:
      return boxes(frame, field.custom_id, 'radio', toOptions(field.options), [1, 1]);
    case 22: {
      const bounds = [field.min_values ?? 1, field.max_values ?? field.options.length] as const;
      return boxes(frame, field.custom_id, 'checkbox', toOptions(field.options), bounds);
    }
    case 23:
      return singleCheckbox(frame, field.custom_id, field.default === true);
    default:
      return selectField(frame, field, state);
  }
}

function framed({ id, label, hint }: FieldFrame, control: HTMLElement): HTMLElement {
  return element('div', { class: 'modal-field' }, element('label', { for: id }, ...label), hint, control);
}

function textField(field: TextInput, { id, hint, isRequired }: FieldFrame): HTMLElement {
  const attributes = {
    id,
    name: field.custom_id,
    required: isRequired,
    'aria-describedby': hint?.id,
    minlength: field.min_length || null,
    maxlength: field.max_length ?? 4000,
    placeholder: field.placeholder,
  };
  if (field.style === 2) return element('textarea', { ...attributes, rows: 4 }, field.value ?? '');
  return element('input', { ...attributes, type: 'text', value: field.value ?? '' });
}

/** A select with several values shows checkboxes: a native list loses its selection with one wrong click. */
function selectField(frame: FieldFrame, field: Select, state: State): HTMLElement {
  const options = selectOptions(field, state);
  const maxValues = field.max_values ?? 1;
  if (maxValues > 1) return boxes(frame, field.custom_id, 'checkbox', options, [field.min_values ?? 1, maxValues]);
  const { id, hint, isRequired } = frame;
  const select = element(
    'select',
    { id, name: field.custom_id, required: isRequired, 'aria-describedby': hint?.id },
    element('option', { value: '' }, field.placeholder ?? 'Choose'),
    ...options.map(({ value, label, hint: note, selected }) =>
      element('option', { value, selected }, note ? `${label} – ${note}` : label),
    ),
  );
  return framed(frame, select);
}

/** Radios or checkboxes, of which between `min` and `max` must be checked if a value is required. */
function boxes(
  { id, label, hint, isRequired }: FieldFrame,
  name: string,
  type: 'radio' | 'checkbox',
  options: readonly SelectOption[],
  [min, max]: readonly [number, number],
): HTMLElement {
  const inputs = options.map(({ value, selected }, index) =>
    element('input', {
      type,
      id: `${id}-${index}`,
      name: type === 'radio' ? `${name}-choice` : null,
      value,
      checked: selected,
      onchange: () => validate(),
    }),
  );
  const rows = options.map(({ label: text, hint: note }, index) =>
    element(
      'label',
      { class: 'choice', for: `${id}-${index}` },
      inputs[index] ?? null,
      element('span', {}, text, note ? element('span', { class: 'field-hint' }, note) : null),
    ),
  );
  function validate(): void {
    const count = inputs.filter((input) => input.checked).length;
    const isInvalid = count > max || (count < min && (isRequired || count > 0));
    inputs[0]?.setCustomValidity(isInvalid ? `Choose ${min === max ? min : `${min} to ${max}`}.` : '');
  }
  validate();
  return element(
    'fieldset',
    { class: 'modal-field', name, 'aria-describedby': hint?.id },
    element('legend', {}, ...label),
    hint,
    element('div', { class: 'choices' }, ...rows),
  );
}

function singleCheckbox({ id, label, hint }: FieldFrame, name: string, checked: boolean): HTMLElement {
  const input = element('input', { type: 'checkbox', id, name, checked, 'aria-describedby': hint?.id });
  return element(
    'div',
    { class: 'modal-field' },
    element('label', { class: 'choice', for: id }, input, ...label),
    hint,
  );
}

function toOptions(options: Extract<Field, { type: 21 | 22 }>['options']): readonly SelectOption[] {
  return options.map(({ label, value, description, default: selected }) => ({
    label,
    value,
    selected: selected === true,
    ...(description ? { hint: description } : {}),
  }));
}
