import { z } from 'zod';
import { componentId, entitySelect, type Select, stringSelect } from './component-schema.ts';
import { RejectedByClientError } from './errors.ts';
import { checkbox, checkboxGroup, choiceType, radioGroup, resolveChoice } from './modal-choices.ts';
import { resolveSelection } from './resolve-select.ts';
import type { Actor, Resolved } from './resolved.ts';
import { addIssue } from './schema-parts.ts';

/** Discord: "Component Types", the types in modals. */
const type = { actionRow: 1, textInput: 4, textDisplay: 10, label: 18, ...choiceType } as const;

const text = (max: number) => z.string().max(max);

const textInput = z.object({
  type: z.literal(type.textInput),
  id: componentId,
  custom_id: text(100).min(1),
  /** 1 single line, 2 multiple lines. */
  style: z.literal([1, 2]),
  /** Only in an action row; a `label` component has its own. */
  label: text(45).nullish(),
  min_length: z.int().min(0).max(4000).nullish(),
  max_length: z.int().min(1).max(4000).nullish(),
  required: z.boolean().nullish(),
  value: text(4000).nullish(),
  placeholder: text(100).nullish(),
});

interface ModalSelect {
  readonly required?: boolean | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly min_values?: number | null | undefined;
}

/** The rules of selects that apply only in modals. Discord: "String Select Structure", notes. */
function checkModalSelect({ required, disabled, min_values }: ModalSelect, context: z.RefinementCtx): void {
  if (disabled) {
    addIssue(context, ['disabled'], 'COMPONENT_DISABLED_NOT_ALLOWED', 'Components in modals cannot be disabled');
  }
  if ((required ?? true) && min_values === 0) {
    const message = 'min_values must be at least 1 if the component is required';
    addIssue(context, ['min_values'], 'SELECT_COMPONENT_REQUIRED_MIN_VALUES', message);
  }
}

const required = { required: z.boolean().nullish() };
const modalStringSelect = stringSelect.safeExtend(required).superRefine(checkModalSelect);
const modalEntitySelect = entitySelect.safeExtend(required).superRefine(checkModalSelect);

const row = z.object({
  type: z.literal(type.actionRow),
  id: componentId,
  components: z.array(textInput.extend({ label: text(45).min(1) })).length(1),
});

const label = z.object({
  type: z.literal(type.label),
  id: componentId,
  label: text(45).min(1),
  description: text(100).nullish(),
  component: z.discriminatedUnion('type', [
    textInput.extend({ label: z.null().optional() }),
    modalStringSelect,
    modalEntitySelect,
    radioGroup,
    checkboxGroup,
    checkbox,
  ]),
});

const textDisplay = z.object({ type: z.literal(type.textDisplay), id: componentId, content: text(4000).min(1) });

/** The schema of a modal. Discord: "Modal", "Label", "Text Input". */
export const modalSchema = z
  .object({
    custom_id: text(100).min(1),
    title: text(45).min(1),
    components: z
      .array(z.discriminatedUnion('type', [row, label, textDisplay]))
      .min(1)
      .max(5),
  })
  .superRefine(({ components }, context) => {
    const customIds = components.flatMap((each) => fieldOf(each)?.custom_id ?? []);
    if (new Set(customIds).size < customIds.length) {
      addIssue(context, ['components'], 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
    }
    const ids = givenIds(components);
    if (new Set(ids).size < ids.length) {
      addIssue(context, ['components'], 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated');
    }
  });

export type Modal = z.output<typeof modalSchema>;
type Part = Modal['components'][number];
type Field = z.output<typeof textInput> | z.output<typeof label>['component'];

function fieldOf(part: Part): Field | undefined {
  if (part.type === type.actionRow) return part.components[0];
  return part.type === type.label ? part.component : undefined;
}

/** The ids that the bot chose; 0 means none. */
function givenIds(components: readonly Part[]): number[] {
  return components.flatMap((part) => [part.id, fieldOf(part)?.id]).flatMap((id) => id || []);
}

/** Submitted values by custom id: a text or the value of radios, the selected values, or whether a box is checked. */
export type SubmittedValues = Readonly<Record<string, string | readonly string[] | boolean>>;

/** The data of a modal submission. Discord: "Modal Submit Data Structure". @throws RejectedByClientError */
export function toSubmitData(actor: Actor, modal: Modal, values: SubmittedValues) {
  const resolved: Record<string, Record<string, unknown>> = {};
  const usedIds = givenIds(modal.components);
  let last = 0;
  const idOf = ({ id }: Part | Field) => {
    if (id) return id;
    do last += 1;
    while (usedIds.includes(last));
    return last;
  };
  const components = modal.components.map((part) => {
    const container = { type: part.type, id: idOf(part) };
    const field = fieldOf(part);
    if (field === undefined) return container;
    const { data, resolved: entities } = resolveField(actor, field, values[field.custom_id]);
    for (const [kind, items] of Object.entries(entities)) resolved[kind] = { ...resolved[kind], ...items };
    const inner = { type: field.type, id: idOf(field), custom_id: field.custom_id, ...data };
    return part.type === type.label ? { ...container, component: inner } : { ...container, components: [inner] };
  });
  return { custom_id: modal.custom_id, components, ...(Object.keys(resolved).length > 0 ? { resolved } : {}) };
}

function resolveField(
  actor: Actor,
  field: Field,
  input: SubmittedValues[string] | undefined,
): { data: object; resolved: Resolved } {
  if (field.type === type.checkbox) return { data: { value: input === true }, resolved: {} };
  const isRequired = field.required ?? true;
  const values = typeof input === 'object' ? input : [input ?? ''].filter((value) => typeof value === 'string');
  if (field.type === type.radioGroup || field.type === type.checkboxGroup) {
    return { data: resolveChoice(field, values.filter(Boolean)), resolved: {} };
  }
  if (field.type !== type.textInput) {
    const selection = resolveModalSelect(actor, field, values.filter(Boolean), isRequired);
    return { data: { values: selection.values }, resolved: selection.resolved };
  }
  const value = typeof input === 'string' ? input : '';
  if (value === '' && !isRequired) return { data: { value }, resolved: {} };
  if (value === '') throw new RejectedByClientError('field_missing', 'A required field is empty');
  if (value.length < (field.min_length ?? 0)) throw new RejectedByClientError('field_too_short', 'A text is too short');
  if (value.length > (field.max_length ?? 4000))
    throw new RejectedByClientError('field_too_long', 'A text is too long');
  return { data: { value }, resolved: {} };
}

/** An optional select may stay empty; otherwise its bounds apply. */
function resolveModalSelect(actor: Actor, select: Select, values: readonly string[], isRequired: boolean) {
  return resolveSelection(actor, select, values, values.length === 0 && !isRequired ? 0 : (select.min_values ?? 1));
}
