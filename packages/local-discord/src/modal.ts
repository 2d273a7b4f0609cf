import { z } from 'zod';
import { checkSelectable, componentId, createIds, entitySelect, optionList, stringSelect } from './component-schema.ts';
import { reject } from './errors.ts';
import { type FileInput, type Files, maxFileBytes } from './files.ts';
import { type Actor, checkSelection, type Resolved, resolveSelection } from './resolved.ts';
import { addIssue, requiredText, text as trimmedText } from './validate.ts';

/** Discord: "Component Types", the types in modals. */
const type = {
  actionRow: 1,
  textInput: 4,
  textDisplay: 10,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;

const text = (max: number) => z.string().max(max);
const required = z.boolean().nullish();
/** How many boxes are checked, or files uploaded. */
const bounds = { min_values: z.int().min(0).max(10).nullish(), max_values: z.int().min(1).max(10).nullish() };
const box = { id: componentId, custom_id: requiredText(100) };

const textInput = z.object({
  type: z.literal(type.textInput),
  id: componentId,
  custom_id: text(100).min(1),
  /** 1 single line, 2 multiple lines. */
  style: z.literal([1, 2]),
  /** The label of an input in an action row; a `label` component has its own. */
  label: text(45).nullish(),
  min_length: z.int().min(0).max(4000).nullish(),
  max_length: z.int().min(1).max(4000).nullish(),
  required: z.boolean().nullish(),
  value: text(4000).nullish(),
  placeholder: text(100).nullish(),
});

interface Field {
  readonly type: number;
  readonly required?: boolean | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly min_values?: number | null | undefined;
  readonly max_values?: number | null | undefined;
  readonly options?: readonly unknown[];
}

/** The rules of selects that apply only in modals. Discord: "String Select Structure", notes. */
function checkField({ required, disabled, min_values }: Field, context: z.RefinementCtx): void {
  if (disabled) addIssue(context, ['disabled'], 'COMPONENT_DISABLED_NOT_ALLOWED');
  if ((required ?? true) && min_values === 0) addIssue(context, ['min_values'], 'SELECT_COMPONENT_REQUIRED_MIN_VALUES');
}

const modalStringSelect = stringSelect.safeExtend({ required }).superRefine(checkField);
const modalEntitySelect = entitySelect.safeExtend({ required }).superRefine(checkField);

const boxOption = z.object({
  label: requiredText(100),
  value: requiredText(100),
  description: trimmedText(100).nullish(),
  default: z.boolean().nullish(),
});

const radioGroup = z
  .object({ type: z.literal(type.radioGroup), ...box, required, options: optionList(boxOption, 2, 10) })
  .superRefine(({ options }, context) => checkSelectable({ options }, 1, context));

const checkboxGroup = z
  .object({ type: z.literal(type.checkboxGroup), ...box, required, ...bounds, options: optionList(boxOption, 1, 10) })
  .superRefine((group, context) => {
    checkSelectable(group, boundsOf(group)[1], context);
    checkField(group, context);
  });

const checkbox = z.object({ type: z.literal(type.checkbox), ...box, default: z.boolean().nullish() });

const fileUpload = z
  .object({ type: z.literal(type.fileUpload), ...box, required, ...bounds })
  .superRefine((upload, context) => {
    checkSelectable(upload, upload.max_values ?? 1, context);
    checkField(upload, context);
  });

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
    fileUpload,
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
    if (hasDuplicates(customIds)) addIssue(context, ['components'], 'COMPONENT_CUSTOM_ID_DUPLICATED');
    if (hasDuplicates(givenIds(components))) addIssue(context, ['components'], 'COMPONENT_ID_DUPLICATED');
  });

/** A modal that a bot opens: a title, a custom id and fields. */
export type Modal = z.output<typeof modalSchema>;
type Part = Modal['components'][number];
type ModalField = z.output<typeof textInput> | z.output<typeof label>['component'];

function hasDuplicates(items: readonly unknown[]): boolean {
  return new Set(items).size < items.length;
}

function fieldOf(part: Part): ModalField | undefined {
  if (part.type === type.actionRow) return part.components[0];
  return part.type === type.label ? part.component : undefined;
}

/** The ids that the bot chose; 0 means none. */
function givenIds(components: readonly Part[]): number[] {
  return components.flatMap((part) => [part.id, fieldOf(part)?.id]).flatMap((id) => id || []);
}

/** Submitted values by custom id: a text or the value of radios, the selected values, whether a box is checked, or a file. */
export type SubmittedValues = Readonly<Record<string, string | readonly string[] | boolean | FileInput>>;

/** The data of a modal submission. Discord: "Modal Submit Data Structure". @throws RejectedByClientError */
export function toSubmitData(actor: Actor, files: Pick<Files, 'store'>, modal: Modal, values: SubmittedValues) {
  const resolved: Record<string, Record<string, unknown>> = {};
  const idOf = createIds(givenIds(modal.components));
  const components = modal.components.map((part) => {
    const container = { type: part.type, id: idOf(part) };
    const field = fieldOf(part);
    if (field === undefined) return container;
    const { data, resolved: entities = {} } = resolveField(actor, files, field, values[field.custom_id]);
    for (const [kind, items] of Object.entries(entities)) resolved[kind] = { ...resolved[kind], ...items };
    const inner = { type: field.type, id: idOf(field), custom_id: field.custom_id, ...data };
    return part.type === type.label ? { ...container, component: inner } : { ...container, components: [inner] };
  });
  return { custom_id: modal.custom_id, components, ...(Object.keys(resolved).length > 0 ? { resolved } : {}) };
}

/** The submitted data of a field, and the entities that it refers to. */
function resolveField(
  actor: Actor,
  files: Pick<Files, 'store'>,
  field: ModalField,
  input: SubmittedValues[string] | undefined,
): { readonly data: object; readonly resolved?: Resolved } {
  if (field.type === type.checkbox) return { data: { value: input === true } };
  const isRequired = field.required ?? true;
  if (field.type === type.textInput) {
    const value = typeof input === 'string' ? input : '';
    checkText(field, value, isRequired);
    return { data: { value } };
  }
  if (field.type === type.fileUpload) {
    const uploaded = typeof input === 'object' && 'bytes' in input ? [input] : [];
    if (isRequired && uploaded.length === 0) reject('field_missing', 'A required file is missing');
    if (uploaded.some(({ bytes }) => bytes.length > maxFileBytes)) reject('field_too_long', 'The file is too large');
    const attachments = Object.fromEntries(
      uploaded.map((file) => {
        const stored = { ...files.store(file), ephemeral: true };
        return [stored.id, stored];
      }),
    );
    return { data: { values: Object.keys(attachments) }, resolved: { attachments } };
  }
  const values = [input ?? ''].flat().filter((value) => typeof value === 'string' && value !== '') as string[];
  const min = values.length === 0 && !isRequired ? 0 : boundsOf(field)[0];
  if (field.type !== type.radioGroup && field.type !== type.checkboxGroup) {
    return { data: { values }, resolved: resolveSelection(actor, field, values, min) };
  }
  const isOffered = (value: string) => field.options.some((option) => option.value === value);
  checkSelection('field', values, [min, boundsOf(field)[1]], isOffered);
  return { data: field.type === type.radioGroup ? { value: values[0] ?? null } : { values } };
}

/** How many values a field takes. */
function boundsOf({ type: kind, min_values, max_values, options = [] }: Field): readonly [min: number, max: number] {
  if (kind === type.radioGroup) return [1, 1];
  return [min_values ?? 1, max_values ?? (kind === type.checkboxGroup ? options.length : 1)];
}

/** @throws RejectedByClientError */
function checkText({ min_length, max_length }: z.output<typeof textInput>, value: string, isRequired: boolean): void {
  if (value === '' && !isRequired) return;
  if (value === '') reject('field_missing', 'A required field is empty');
  if (value.length < (min_length ?? 0)) reject('field_too_short', 'A text is too short');
  if (value.length > (max_length ?? 4000)) reject('field_too_long', 'A text is too long');
}
