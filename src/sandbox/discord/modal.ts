import { z } from 'zod';
import { issue, pickingSelect, stringSelect } from './message-schema.ts';
import { RejectedByClientError } from './resolve-command.ts';
import { resolveSelection } from './resolve-select.ts';
import type { Asker, Resolved } from './resolved.ts';

/** Discord: "Component Types", those that only a modal has. */
const type = { actionRow: 1, textInput: 4, textDisplay: 10, label: 18 } as const;

const text = (max: number) => z.string().max(max);

const textInput = z.object({
  type: z.literal(type.textInput),
  custom_id: text(100).min(1),
  /** 1 one line, 2 several. */
  style: z.literal([1, 2]),
  /** In a row of its own; in a label it is the label's. */
  label: text(45).nullish(),
  min_length: z.int().min(0).max(4000).nullish(),
  max_length: z.int().min(1).max(4000).nullish(),
  required: z.boolean().nullish(),
  value: text(4000).nullish(),
  placeholder: text(100).nullish(),
});

const required = { required: z.boolean().nullish() };

const row = z.object({
  type: z.literal(type.actionRow),
  components: z.array(textInput.extend({ label: text(45).min(1) })).length(1),
});

const label = z.object({
  type: z.literal(type.label),
  label: text(45).min(1),
  description: text(100).nullish(),
  component: z.discriminatedUnion('type', [
    textInput.extend({ label: z.null().optional() }),
    stringSelect.extend(required),
    pickingSelect.extend(required),
  ]),
});

const textDisplay = z.object({ type: z.literal(type.textDisplay), content: text(4000).min(1) });

/** A modal as a bot opens it. Discord: "Modal", "Label", "Text Input". */
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
    const ids = components.flatMap((each) => fieldOf(each)?.custom_id ?? []);
    if (new Set(ids).size < ids.length) {
      issue(context, ['components'], 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
    }
  });

export type Modal = z.output<typeof modalSchema>;
type Part = Modal['components'][number];
type Field = z.output<typeof textInput> | z.output<typeof label>['component'];

function fieldOf(part: Part): Field | undefined {
  if (part.type === type.actionRow) return part.components[0];
  return part.type === type.label ? part.component : undefined;
}

/** What a member filled in, by the fields' custom ids: a text, or what was picked. */
export type SubmittedField = Readonly<Record<string, string | readonly string[]>>;

/** What is sent when a modal is submitted. Discord: "Modal Submit Data Structure". @throws RefusedByClient */
export function submitted(asker: Asker, modal: Modal, filled: SubmittedField) {
  const resolved: Record<string, Record<string, unknown>> = {};
  const components = modal.components.map((part, index) => {
    const field = fieldOf(part);
    if (field === undefined) return { type: part.type, id: index + 1 };
    const { sent, resolved: found } = filledIn(asker, field, filled[field.custom_id]);
    for (const [kind, items] of Object.entries(found)) resolved[kind] = { ...resolved[kind], ...items };
    const inner = { type: field.type, id: modal.components.length + index + 1, custom_id: field.custom_id, ...sent };
    const around = { type: part.type, id: index + 1 };
    return part.type === type.label ? { ...around, component: inner } : { ...around, components: [inner] };
  });
  return { custom_id: modal.custom_id, components, ...(Object.keys(resolved).length > 0 ? { resolved } : {}) };
}

function filledIn(
  asker: Asker,
  field: Field,
  given: SubmittedField[string] | undefined,
): { sent: object; resolved: Resolved } {
  const isRequired = field.required ?? true;
  if (field.type !== type.textInput) {
    const values = typeof given === 'string' ? [given] : (given ?? []);
    const { required: _required, ...select } = field;
    const picked = resolveSelection(asker, select, values, isRequired ? (field.min_values ?? 1) : 0);
    return { sent: { values: picked.values }, resolved: picked.resolved };
  }
  const value = typeof given === 'string' ? given : '';
  if (value === '' && !isRequired) return { sent: { value }, resolved: {} };
  if (value === '') throw new RejectedByClientError('field_missing', 'A required field is empty');
  if (value.length < (field.min_length ?? 0)) throw new RejectedByClientError('field_too_short', 'A text is too short');
  if (value.length > (field.max_length ?? 4000))
    throw new RejectedByClientError('field_too_long', 'A text is too long');
  return { sent: { value }, resolved: {} };
}
