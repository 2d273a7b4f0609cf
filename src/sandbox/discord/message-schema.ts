import { z } from 'zod';
import { snowflakePattern } from '../../platform/snowflake.ts';

/**
 * The schema of a message. Discord: "Create Message", "Embed Limits", "Component Reference".
 * Lengths count UTF-16 code units, which is at least as strict as Discord.
 */

const snowflake = z.string().regex(snowflakePattern);
const text = (max: number) => z.string().trim().max(max);
const requiredText = (max: number) => z.string().trim().min(1).max(max);

const url = z
  .string()
  .max(2048)
  .superRefine((value, context) => {
    if (/^attachment:\/\/\S+$/.test(value)) return;
    if (!URL.canParse(value)) addIssue(context, [], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
    else if (!['http:', 'https:'].includes(new URL(value).protocol)) {
      addIssue(context, [], 'URL_TYPE_INVALID_SCHEME', "Scheme must be one of ('http', 'https').");
    }
  });

const image = z.object({ url });

const embed = z
  .object({
    title: text(256).nullish(),
    description: text(4096).nullish(),
    url: url.nullish(),
    timestamp: z.iso.datetime({ offset: true }).nullish(),
    color: z.int().min(0).max(0xffffff).nullish(),
    footer: z.object({ text: requiredText(2048), icon_url: url.nullish() }).nullish(),
    image: image.nullish(),
    thumbnail: image.nullish(),
    author: z.object({ name: requiredText(256), url: url.nullish(), icon_url: url.nullish() }).nullish(),
    fields: z
      .array(z.object({ name: requiredText(256), value: requiredText(1024), inline: z.boolean().nullish() }))
      .max(25)
      .nullish(),
  })
  .superRefine((value, context) => {
    const hasContent = value.title || value.description || value.fields?.length || value.image || value.thumbnail;
    if (!hasContent && !value.author && !value.footer) {
      addIssue(context, ['description'], 'BASE_TYPE_REQUIRED', 'This field is required');
    }
  });

export type Embed = z.output<typeof embed>;

/** "32 bit integer used as an optional identifier"; 0 means none. */
const componentId = z.int32().min(0).nullish();

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

export const stringSelect = z.object({
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
});

export const entitySelect = z.object({ type: z.literal([5, 6, 7, 8]), ...selectBounds });

export type Button = z.output<typeof button>;
export type Select = z.output<typeof stringSelect> | z.output<typeof entitySelect>;

const actionRow = z.object({
  type: z.literal(1),
  id: componentId,
  components: z
    .array(z.discriminatedUnion('type', [button, stringSelect, entitySelect]))
    .min(1)
    .max(5),
});

export type ActionRow = z.output<typeof actionRow>;

const components = z
  .array(actionRow)
  .max(5)
  .superRefine((rows, context) => {
    const customIds = new Set<string>();
    for (const [row, { components: children }] of rows.entries()) {
      if (children.length > 1 && children.some((child) => child.type !== 2)) {
        addIssue(
          context,
          [row, 'components'],
          'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
          'The specified component exceeds the maximum width',
        );
      }
      for (const [column, child] of children.entries()) {
        if (!child.custom_id) continue;
        if (customIds.has(child.custom_id)) {
          const path = [row, 'components', column, 'custom_id'];
          addIssue(context, path, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
        }
        customIds.add(child.custom_id);
      }
    }
  });

const allowedMentions = z
  .object({
    parse: z.array(z.enum(['roles', 'users', 'everyone'])).nullish(),
    users: z.array(snowflake).max(100).nullish(),
    roles: z.array(snowflake).max(100).nullish(),
    replied_user: z.boolean().nullish(),
  })
  .superRefine((value, context) => {
    for (const kind of ['users', 'roles'] as const) {
      if (value.parse?.includes(kind) && value[kind]?.length) {
        const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
        addIssue(context, [], 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', message);
      }
    }
  });

export type AllowedMentions = z.output<typeof allowedMentions>;

/** The body of a new message, an edit, or an interaction response. */
export const messageSchema = z.object({
  content: text(2000).nullish(),
  embeds: z
    .array(embed)
    .max(10)
    .superRefine((embeds, context) => {
      if (embeds.reduce((sum, each) => sum + embedLength(each), 0) > 6000) {
        addIssue(context, [], 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
      }
    })
    .nullish(),
  components: components.nullish(),
  allowed_mentions: allowedMentions.nullish(),
  flags: z.int().min(0).nullish(),
  tts: z.boolean().nullish(),
  nonce: z.union([z.string().max(25), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  attachments: z
    .array(
      z.object({
        id: z.union([z.string(), z.int()]).nullish(),
        filename: z.string().nullish(),
        description: text(1024).nullish(),
      }),
    )
    .max(10)
    .nullish(),
});

export type MessagePayload = z.output<typeof messageSchema>;

/** The characters of an embed that count toward the limit of 6,000 per message. */
function embedLength(each: Embed): number {
  const fields = (each.fields ?? []).reduce((sum, field) => sum + field.name.length + field.value.length, 0);
  const texts = [each.title, each.description, each.footer?.text, each.author?.name];
  return texts.reduce((sum, part) => sum + (part?.length ?? 0), fields);
}

/** Adds an issue with a Discord error code. */
export function addIssue(context: z.RefinementCtx, path: PropertyKey[], code: string, message: string): void {
  context.addIssue({ code: 'custom', path, message, params: { code }, input: context.value });
}
