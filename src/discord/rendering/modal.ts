import { plainName } from '@tallyhook/platform/truncate';
import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord-api-types/v10';
import type { Modal, ModalField } from '../commands/reply.ts';
import { actionId, choicesOf, renderSelect } from './components.ts';

/** Discord: "Modal", "Label", "Text Input", "Radio Group", "Checkbox Group", "File Upload". */
const limits = { title: 45, fields: 5, label: 45, description: 100, placeholder: 100, value: 4_000, boxes: 10 };
const minRadios = 2;

/** The modal as Discord accepts it. @throws Error if its action has no id, or nothing can be entered */
export function renderModal(modal: Modal, command: string): APIModalInteractionResponseCallbackData {
  const id = actionId(modal, command);
  const components = modal.fields.slice(0, limits.fields).flatMap((field) => renderField(field) ?? []);
  if (id === null || components.length === 0) throw new Error(`The modal ${modal.action} of /${command} is invalid.`);
  return { custom_id: id, title: plainName(modal.title, limits.title), components };
}

function renderField(field: ModalField): APIModalInteractionResponseCallbackData['components'][number] | null {
  const component = renderInput(field);
  if (component === null) return null;
  const description = plainName(field.description ?? '', limits.description);
  return {
    type: ComponentType.Label,
    label: plainName(field.label, limits.label),
    ...(description === '' ? {} : { description }),
    component,
  };
}

function renderInput(field: ModalField) {
  const { name, required = true } = field;
  switch (field.kind) {
    case 'text':
      return renderText(field, required);
    case 'radios': {
      const options = choicesOf({ choices: field.choices, maxValues: 1 }, limits.boxes);
      if (options.length < minRadios) return null;
      return { type: ComponentType.RadioGroup as const, custom_id: name, required, options };
    }
    case 'checkboxes':
      return renderCheckboxes(field, required);
    case 'file': {
      const type = ComponentType.FileUpload as const;
      return { type, custom_id: name, required, min_values: required ? 1 : 0, max_values: 1 };
    }
    case 'checkbox':
      return {
        type: ComponentType.Checkbox as const,
        custom_id: name,
        ...(field.checked === true ? { default: true } : {}),
      };
    default: {
      const select = renderSelect(required ? field : { ...field, minValues: 0 }, name);
      if (select === null) return null;
      // Nothing may be selected in a field that is not required, and only there.
      return { ...select, required, min_values: required ? Math.max(1, select.min_values ?? 1) : 0 };
    }
  }
}

function renderCheckboxes(
  { name, choices, minValues, maxValues }: ModalField & { kind: 'checkboxes' },
  required: boolean,
) {
  const count = choicesOf({ choices }, limits.boxes).length;
  if (count === 0) return null;
  const max = Math.max(1, Math.min(count, maxValues ?? count));
  const min = required ? Math.max(1, Math.min(max, minValues ?? 1)) : 0;
  const options = choicesOf({ choices, maxValues: max }, limits.boxes);
  return {
    type: ComponentType.CheckboxGroup as const,
    custom_id: name,
    required,
    min_values: min,
    max_values: max,
    options,
  };
}

function renderText(field: ModalField & { kind: 'text' }, required: boolean) {
  const { name, multiline = false, minLength, maxLength, value, placeholder } = field;
  return {
    type: ComponentType.TextInput as const,
    custom_id: name,
    style: multiline ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required,
    ...(minLength === undefined ? {} : { min_length: minLength }),
    ...(maxLength === undefined ? {} : { max_length: maxLength }),
    ...(value === undefined ? {} : { value: value.slice(0, maxLength ?? limits.value) }),
    ...(placeholder === undefined ? {} : { placeholder: plainName(placeholder, limits.placeholder) }),
  };
}
