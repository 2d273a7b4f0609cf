import type { Select } from '../../discord/message-schema.ts';
import type { Modal } from '../../discord/modal.ts';
import { element } from './element.ts';
import { renderMarkdown } from './render-markdown.ts';
import { selectOptions } from './select.ts';
import type { State } from './store.ts';

type Part = Modal['components'][number];
type Label = Extract<Part, { type: 18 }>;
type TextInput = Extract<Label['component'], { type: 4 }>;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The fields of a form, each with its label. Discord: "Modal", "Label", "Text Input". */
export function modalFields({ components }: Modal, state: State): HTMLElement[] {
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

/** Texts as they are, picks as lists. */
export function modalValues(form: HTMLFormElement): Record<string, string | string[]> {
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
  const options = selectOptions(field, state).map(({ value, label, selected }) =>
    element('option', { value, selected }, label),
  );
  const placeholder = multiple ? [] : [element('option', { value: '' }, field.placeholder ?? 'Choose')];
  return element('select', { ...attributes, multiple }, ...placeholder, ...options);
}
