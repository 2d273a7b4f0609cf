import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';
import type { Modal, ModalField } from '../../../commands/reply.ts';
import { plainName } from '../../texts/markup.ts';
import { actionId, renderSelect } from './components.ts';

/** Discord: "Modal", "Label", "Text Input". */
const limits = { title: 45, fields: 5, label: 45, description: 100, placeholder: 100, value: 4_000 };

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
  const required = field.required ?? true;
  if (field.kind !== 'text') {
    const select = renderSelect(field, field.name);
    if (select === null) return null;
    // Nothing may be selected in a field that is not required, and only there.
    return { ...select, required, min_values: required ? Math.max(1, select.min_values ?? 1) : 0 };
  }
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
