import { z } from 'zod';
import { addIssue, requiredText, snowflake, text, url } from './validate.ts';

/**
 * The schemas of the components of messages; those after the rows need the flag IS_COMPONENTS_V2. Discord: "Component Reference".
 */

/** "32 bit integer used as an optional identifier"; 0 means none. */
export const componentId = z.int32().min(0).nullish();

/** "If the id is omitted, it is generated": ascending from 1, skipping used ids. Discord: "Anatomy of a Component". */
export function createIds(used: readonly (number | null | undefined)[]) {
  let last = 0;
  return ({ id }: { readonly id?: number | null | undefined }): number => {
    if (id) return id;
    do last += 1;
    while (used.includes(last));
    return last;
  };
}

const emoji = z.object({ id: snowflake.nullish(), name: z.string().nullish(), animated: z.boolean().nullish() });

const button = z
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
    if (!value[required]) addIssue(context, [required], 'BASE_TYPE_REQUIRED');
    if (value[excluded]) addIssue(context, [excluded], 'BUTTON_COMPONENT_CUSTOM_ID_AND_URL');
    if (!value.label && !value.emoji) addIssue(context, ['label'], 'BUTTON_COMPONENT_LABEL_REQUIRED');
  });

/** The options of a select, of radios or of checkboxes. */
export function optionList<Option extends z.ZodType<{ value: string }>>(option: Option, min: number, max: number) {
  return z
    .array(option)
    .min(min)
    .max(max)
    .superRefine((options, context) => {
      for (const [index, { value }] of options.entries()) {
        if (options.findIndex((other) => other.value === value) === index) continue;
        addIssue(context, [index, 'value'], 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED');
      }
    });
}

interface Selectable {
  readonly min_values?: number | null | undefined;
  readonly options?: readonly { readonly default?: boolean | null | undefined }[];
}

/** Checks the bounds of a selection, and how many of its options are selected by default. */
export function checkSelectable({ min_values, options = [] }: Selectable, max: number, context: z.RefinementCtx): void {
  if ((min_values ?? 1) > max) addIssue(context, ['min_values'], 'SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX_VALUES');
  const defaults = options.filter((option) => option.default).length;
  if (defaults > max) addIssue(context, ['options'], 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES');
}

const selectBounds = {
  id: componentId,
  custom_id: requiredText(100),
  placeholder: text(150).nullish(),
  min_values: z.int().min(0).max(25).nullish(),
  max_values: z.int().min(1).max(25).nullish(),
  disabled: z.boolean().nullish(),
};

const selectOption = z.object({
  label: requiredText(100),
  value: requiredText(100),
  description: text(100).nullish(),
  emoji: emoji.nullish(),
  default: z.boolean().nullish(),
});

export const stringSelect = z
  .object({ type: z.literal(3), ...selectBounds, options: optionList(selectOption, 1, 25) })
  .superRefine((select, context) => checkSelectable(select, select.max_values ?? 1, context));

/** The kinds of default values that fit each type of select. */
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
    /** The types of a channel select. */
    channel_types: z.array(z.int().min(0)).nullish(),
  })
  .superRefine((select, context) => {
    const [minimum, maximum] = [select.min_values ?? 1, select.max_values ?? 1];
    checkSelectable({ min_values: minimum }, maximum, context);
    const defaults = select.default_values ?? [];
    for (const [index, { type }] of defaults.entries()) {
      const allowed = defaultKinds[select.type] ?? [];
      if (allowed.includes(type)) continue;
      const message = `Value must be one of {${allowed.join(', ')}}.`;
      addIssue(context, ['default_values', index, 'type'], 'BASE_TYPE_CHOICES', message);
    }
    if (defaults.length > 0 && (defaults.length < minimum || defaults.length > maximum)) {
      const message = `Must be between ${minimum} and ${maximum} in length.`;
      addIssue(context, ['default_values'], 'BASE_TYPE_BAD_LENGTH', message);
    }
  });

/** A button as a bot sends it: with a custom id, or with a link. */
export type Button = z.output<typeof button>;
/** A select as a bot sends it: of strings, users, roles, mentionables or channels. */
export type Select = z.output<typeof stringSelect> | z.output<typeof entitySelect>;

const actionRow = z
  .object({
    type: z.literal(1),
    id: componentId,
    components: z
      .array(z.discriminatedUnion('type', [button, stringSelect, entitySelect]))
      .min(1)
      .max(5),
  })
  .superRefine(({ components }, context) => {
    if (components.length > 1 && components.some((child) => child.type !== 2))
      addIssue(context, ['components'], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED');
  });

/** A row of up to five buttons, or of one select, as a bot sends it. */
export type ActionRow = z.output<typeof actionRow>;

/** Discord: "Component Types", those without interaction. */
export const layoutType = {
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  mediaGallery: 12,
  file: 13,
  separator: 14,
  container: 17,
} as const;

const media = z.object({ url });
const spoiler = z.boolean().nullish();
const description = text(1024).nullish();

const textDisplay = z.object({ type: z.literal(layoutType.textDisplay), id: componentId, content: requiredText(4000) });

const thumbnail = z.object({ type: z.literal(layoutType.thumbnail), id: componentId, media, description, spoiler });

const section = z.object({
  type: z.literal(layoutType.section),
  id: componentId,
  components: z.array(textDisplay).min(1).max(3),
  accessory: z.discriminatedUnion('type', [button, thumbnail]),
});

const mediaGallery = z.object({
  type: z.literal(layoutType.mediaGallery),
  id: componentId,
  items: z.array(z.object({ media, description, spoiler })).min(1).max(10),
});

const file = z
  .object({ type: z.literal(layoutType.file), id: componentId, file: media, spoiler })
  .superRefine((value, context) => {
    if (!value.file.url.startsWith('attachment://'))
      addIssue(context, ['file', 'url'], 'UNFURLED_MEDIA_ITEM_ATTACHMENT_REFERENCE_REQUIRED');
  });

const separator = z.object({
  type: z.literal(layoutType.separator),
  id: componentId,
  divider: z.boolean().nullish(),
  /** 1 small, 2 large. */
  spacing: z.literal([1, 2]).nullish(),
});

const container = z.object({
  type: z.literal(layoutType.container),
  id: componentId,
  components: z
    .array(z.discriminatedUnion('type', [actionRow, section, textDisplay, mediaGallery, file, separator]))
    .min(1)
    .max(40),
  accent_color: z.int().min(0).max(0xffffff).nullish(),
  spoiler,
});

export const topLevelComponent = z.discriminatedUnion('type', [
  actionRow,
  section,
  textDisplay,
  mediaGallery,
  file,
  separator,
  container,
]);

/** A component as a bot sends it. */
export type Component = z.output<typeof topLevelComponent>;
/** Any component of a message, nested ones included. */
type AnyComponent =
  | Component
  | Extract<Component, { type: 1 }>['components'][number]
  | Extract<Component, { type: 9 }>['accessory'];

interface Located {
  readonly component: AnyComponent;
  readonly path: PropertyKey[];
}

/** All components, each before its children, with their paths. */
function locate(components: readonly AnyComponent[], path: readonly PropertyKey[]): readonly Located[] {
  return components.flatMap((component, index) => locateOne(component, [...path, index]));
}

function locateOne(component: AnyComponent, path: PropertyKey[]): readonly Located[] {
  return [
    { component, path },
    ...('components' in component ? locate(component.components, [...path, 'components']) : []),
    ...('accessory' in component ? locateOne(component.accessory, [...path, 'accessory']) : []),
  ];
}

/** All components, each before its children. */
export function flatten(components: readonly Component[]): readonly AnyComponent[] {
  return locate(components, []).map(({ component }) => component);
}

/** The limits of a message's components together, with or without IS_COMPONENTS_V2. */
export function checkComponents(components: readonly Component[], isLayout: boolean, context: z.RefinementCtx): void {
  const all = locate(components, ['components']);
  const foreign = components.findIndex(({ type }) => !isLayout && type !== 1);
  if (foreign !== -1) {
    const message = 'Value of field "type" must be one of (1,).';
    addIssue(context, ['components', foreign, 'type'], 'UNION_TYPE_CHOICES', message);
  }
  const limit = isLayout ? 40 : 5;
  const count = isLayout ? all.length : components.length;
  if (count > limit) addIssue(context, ['components'], 'BASE_TYPE_MAX_LENGTH', `Must be ${limit} or fewer in length.`);
  const texts = all.map(({ component }) => (component.type === layoutType.textDisplay ? component.content.length : 0));
  if (texts.reduce((sum, length) => sum + length, 0) > 4000)
    addIssue(context, ['components'], 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED');
  const customIds = new Set<string>();
  const ids = new Set<number>();
  for (const { component, path } of all) {
    const customId = 'custom_id' in component ? component.custom_id : null;
    if (customId && customIds.has(customId))
      addIssue(context, [...path, 'custom_id'], 'COMPONENT_CUSTOM_ID_DUPLICATED');
    if (component.id && ids.has(component.id)) addIssue(context, [...path, 'id'], 'COMPONENT_ID_DUPLICATED');
    if (customId) customIds.add(customId);
    if (component.id) ids.add(component.id);
  }
}
