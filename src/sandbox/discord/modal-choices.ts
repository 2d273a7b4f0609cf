import { z } from 'zod';
import { componentId } from './component-schema.ts';
import { RejectedByClientError } from './errors.ts';
import { addIssue, requiredText, text } from './schema-parts.ts';

/** Radios and checkboxes, which only modals have. Discord: "Radio Group", "Checkbox Group", "Checkbox". */

/** Discord: "Component Types". */
export const choiceType = { radioGroup: 21, checkboxGroup: 22, checkbox: 23 } as const;

const options = (min: number) =>
  z
    .array(
      z.object({
        label: requiredText(100),
        value: requiredText(100),
        description: text(100).nullish(),
        default: z.boolean().nullish(),
      }),
    )
    .min(min)
    .max(10)
    .superRefine((all, context) => {
      for (const [index, { value }] of all.entries()) {
        if (all.findIndex((other) => other.value === value) === index) continue;
        const code = 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED';
        addIssue(context, [index, 'value'], code, 'The specified option value is already used');
      }
    });

const customId = requiredText(100);
const required = z.boolean().nullish();

export const radioGroup = z
  .object({
    type: z.literal(choiceType.radioGroup),
    id: componentId,
    custom_id: customId,
    required,
    options: options(2),
  })
  .superRefine((group, context) => checkDefaults(group, 1, context));

export const checkboxGroup = z
  .object({
    type: z.literal(choiceType.checkboxGroup),
    id: componentId,
    custom_id: customId,
    required,
    min_values: z.int().min(0).max(10).nullish(),
    max_values: z.int().min(1).max(10).nullish(),
    options: options(1),
  })
  .superRefine((group, context) => {
    const [min, max] = bounds(group);
    checkDefaults(group, max, context);
    if (min > max) {
      const message = 'The minimum number of values exceeds the maximum';
      addIssue(context, ['min_values'], 'SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX_VALUES', message);
    }
    if ((group.required ?? true) && group.min_values === 0) {
      const message = 'min_values must be at least 1 if the component is required';
      addIssue(context, ['min_values'], 'SELECT_COMPONENT_REQUIRED_MIN_VALUES', message);
    }
  });

export const checkbox = z.object({
  type: z.literal(choiceType.checkbox),
  id: componentId,
  custom_id: customId,
  default: z.boolean().nullish(),
});

type RadioGroup = z.output<typeof radioGroup>;
type CheckboxGroup = z.output<typeof checkboxGroup>;

function bounds(group: Pick<CheckboxGroup, 'min_values' | 'max_values' | 'options'>): readonly [number, number] {
  return [group.min_values ?? 1, group.max_values ?? group.options.length];
}

function checkDefaults({ options: all }: Pick<RadioGroup, 'options'>, max: number, context: z.RefinementCtx): void {
  if (all.filter((option) => option.default).length <= max) return;
  const message = 'The number of default options exceeds the maximum';
  addIssue(context, ['options'], 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', message);
}

/** The submitted data of radios or checkboxes. @throws RejectedByClientError */
export function resolveChoice(field: RadioGroup | CheckboxGroup, values: readonly string[]): object {
  const isRequired = field.required ?? true;
  const [min, max] = field.type === choiceType.radioGroup ? [1, 1] : bounds(field);
  const isEmpty = values.length === 0 && !isRequired;
  if (!isEmpty && (values.length < min || values.length > max)) {
    throw new RejectedByClientError('picked_too_many_or_few', `The field requires ${min} to ${max} values`);
  }
  if (new Set(values).size < values.length)
    throw new RejectedByClientError('picked_twice', 'A value is selected twice');
  if (values.some((value) => !field.options.some((option) => option.value === value)))
    throw new RejectedByClientError('not_offered', 'The field does not have this option');
  return field.type === choiceType.radioGroup ? { value: values[0] ?? null } : { values };
}
