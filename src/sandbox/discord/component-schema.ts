import { z } from 'zod';
import { addIssue, requiredText, snowflake, text, url } from './schema-parts.ts';

/** The schemas of buttons, selects and their rows. Discord: "Component Reference". */

/** "32 bit integer used as an optional identifier"; 0 means none. */
export const componentId = z.int32().min(0).nullish();

const emoji = z.object({ id: snowflake.nullish(), name: z.string().nullish(), animated: z.boolean().nullish() });

export const button = z
  .object({
    type: z.literal(2),
    id: componentId,
    style: z.int().min(1).max(5),
    label: text(80).nullish(),
    emoji: emoji.nullish(),
    custom_id: requiredText(100).nullish(),
    url: url.max(512).nullish(),
    disabled: z.boolean().nullish(),
  })
  .superRefine((value, context) => {
    const required = value.style === 5 ? 'url' : 'custom_id';
    const excluded = value.style === 5 ? 'custom_id' : 'url';
    if (!value[required]) addIssue(context, [required], 'BASE_TYPE_REQUIRED', 'This field is required');
    if (value[excluded])
      addIssue(context, [excluded], 'BUTTON_COMPONENT_CUSTOM_ID_AND_URL', 'A button is a link or it acts, not both.');
    if (!value.label && !value.emoji) {
      addIssue(context, ['label'], 'BUTTON_COMPONENT_LABEL_REQUIRED', 'A button must have a label or an emoji.');
    }
  });

const selectBounds = {
  id: componentId,
  custom_id: requiredText(100),
  placeholder: text(150).nullish(),
  min_values: z.int().min(0).max(25).nullish(),
  max_values: z.int().min(1).max(25).nullish(),
  disabled: z.boolean().nullish(),
};

export const stringSelect = z
  .object({
    type: z.literal(3),
    ...selectBounds,
    options: z
      .array(
        z.object({
          label: requiredText(100),
          value: requiredText(100),
          description: text(100).nullish(),
          emoji: emoji.nullish(),
          default: z.boolean().nullish(),
        }),
      )
      .min(1)
      .max(25)
      .superRefine((options, context) => {
        for (const [index, { value }] of options.entries()) {
          if (options.findIndex((other) => other.value === value) < index) {
            const code = 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED';
            addIssue(context, [index, 'value'], code, 'The specified option value is already used');
          }
        }
      }),
  })
  .superRefine((select, context) => {
    checkBounds(select, context);
    const defaults = select.options.filter((option) => option.default).length;
    if (defaults > (select.max_values ?? 1)) {
      const message = 'The number of default options exceeds the maximum';
      addIssue(context, ['options'], 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', message);
    }
  });

/** Whether a default value of a kind fits each type of select. */
const defaultKinds: Readonly<Record<number, readonly string[]>> = {
  5: ['user'],
  6: ['role'],
  7: ['user', 'role'],
  8: ['channel'],
};

export const entitySelect = z
  .object({
    type: z.literal([5, 6, 7, 8]),
    ...selectBounds,
    default_values: z
      .array(z.object({ id: snowflake, type: z.enum(['user', 'role', 'channel']) }))
      .max(25)
      .nullish(),
    /** Only of channel selects. */
    channel_types: z.array(z.int().min(0)).nullish(),
  })
  .superRefine((select, context) => {
    checkBounds(select, context);
    const defaults = select.default_values ?? [];
    for (const [index, { type }] of defaults.entries()) {
      const allowed = defaultKinds[select.type] ?? [];
      if (allowed.includes(type)) continue;
      const message = `Value must be one of {${allowed.join(', ')}}.`;
      addIssue(context, ['default_values', index, 'type'], 'BASE_TYPE_CHOICES', message);
    }
    const [minimum, maximum] = [select.min_values ?? 1, select.max_values ?? 1];
    if (defaults.length > 0 && (defaults.length < minimum || defaults.length > maximum)) {
      const message = `Must be between ${minimum} and ${maximum} in length.`;
      addIssue(context, ['default_values'], 'BASE_TYPE_BAD_LENGTH', message);
    }
  });

function checkBounds(
  { min_values, max_values }: { min_values?: number | null | undefined; max_values?: number | null | undefined },
  context: z.RefinementCtx,
): void {
  if ((min_values ?? 1) > (max_values ?? 1)) {
    const message = 'The minimum number of values exceeds the maximum';
    addIssue(context, ['min_values'], 'SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX_VALUES', message);
  }
}

export type Button = z.output<typeof button>;
export type Select = z.output<typeof stringSelect> | z.output<typeof entitySelect>;

export const actionRow = z
  .object({
    type: z.literal(1),
    id: componentId,
    components: z
      .array(z.discriminatedUnion('type', [button, stringSelect, entitySelect]))
      .min(1)
      .max(5),
  })
  .superRefine(({ components }, context) => {
    if (components.length > 1 && components.some((child) => child.type !== 2)) {
      const message = 'The specified component exceeds the maximum width';
      addIssue(context, ['components'], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', message);
    }
  });

export type ActionRow = z.output<typeof actionRow>;
