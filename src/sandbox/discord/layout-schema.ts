import { z } from 'zod';
import { actionRow, button, componentId } from './component-schema.ts';
import { addIssue, requiredText, text, url } from './schema-parts.ts';

/**
 * The schemas of the components that need the flag IS_COMPONENTS_V2, and the rules for all components of a message. Discord:
 * "Component Reference".
 */

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

const textDisplay = z.object({
  type: z.literal(layoutType.textDisplay),
  id: componentId,
  content: requiredText(4000),
});

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
    if (!value.file.url.startsWith('attachment://')) {
      const message = 'A file component shows only attachments: attachment://<filename>.';
      addIssue(context, ['file', 'url'], 'UNFURLED_MEDIA_ITEM_ATTACHMENT_REFERENCE_REQUIRED', message);
    }
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
export type AnyComponent =
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
  if (count > limit) {
    addIssue(context, ['components'], 'BASE_TYPE_MAX_LENGTH', `Must be ${limit} or fewer in length.`);
  }
  const texts = all.map(({ component }) => (component.type === layoutType.textDisplay ? component.content.length : 0));
  if (texts.reduce((sum, length) => sum + length, 0) > 4000) {
    const message = 'The total text of the components exceeds the maximum of 4000';
    addIssue(context, ['components'], 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', message);
  }
  const customIds = new Set<string>();
  const ids = new Set<number>();
  for (const { component, path } of all) {
    const customId = 'custom_id' in component ? component.custom_id : null;
    if (customId && customIds.has(customId)) {
      const message = 'Component custom id cannot be duplicated';
      addIssue(context, [...path, 'custom_id'], 'COMPONENT_CUSTOM_ID_DUPLICATED', message);
    }
    if (component.id && ids.has(component.id)) {
      addIssue(context, [...path, 'id'], 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated');
    }
    if (customId) customIds.add(customId);
    if (component.id) ids.add(component.id);
  }
}
