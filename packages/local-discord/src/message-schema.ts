import { z } from 'zod';
import { checkComponents, topLevelComponent } from './component-schema.ts';
import type { FieldIssue } from './errors.ts';
import { messageFlag } from './message-flags.ts';
import { addIssue, requiredText, snowflake, text, url, validate } from './validate.ts';

/** The schema of a message. Discord: "Create Message", "Embed Limits". */

/** The size of the picture of an embed in pixels; set by Discord, never by the request. */
type Sized<Picture> = Picture & { readonly width?: number; readonly height?: number };

/** The picture of an embed. Discord shows its description as alt text. */
const image = z
  .object({ url, description: text(4096).nullish() })
  .transform((picture): Sized<typeof picture> => picture);

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
    if (!hasContent && !value.author && !value.footer) addIssue(context, ['description'], 'BASE_TYPE_REQUIRED');
  });

/** An embed as a bot sends it; {@link NormalizedEmbed} is how it is stored. */
export type Embed = z.output<typeof embed>;

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

const body = z.object({
  content: text(2000).nullish(),
  embeds: z
    .array(embed)
    .max(10)
    .superRefine((embeds, context) => {
      if (embeds.reduce((sum, each) => sum + embedLength(each), 0) > 6000) {
        addIssue(context, [], 'MAX_EMBED_SIZE_EXCEEDED');
      }
    })
    .nullish(),
  components: z.array(topLevelComponent).nullish(),
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

/** The body of a new message, an edit, or an interaction response. */
export const messageSchema = body.superRefine((payload, context) => {
  const isLayout = ((payload.flags ?? 0) & messageFlag.isComponentsV2) !== 0;
  checkComponents(payload.components ?? [], isLayout, context);
  for (const field of ['content', 'embeds'] as const) {
    if (isLayout && payload[field]?.length) addIssue(context, [field], ...legacyFieldIssue(field));
  }
});

/** The issue of a message with IS_COMPONENTS_V2 that has a text or embeds. */
export function legacyFieldIssue(field: 'content' | 'embeds'): FieldIssue {
  const message = `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
  return ['MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message];
}

export type MessagePayload = z.output<typeof body>;

/** The characters of an embed that count toward the limit of 6,000 per message. */
function embedLength(each: Embed): number {
  const fields = (each.fields ?? []).reduce((sum, field) => sum + field.name.length + field.value.length, 0);
  const texts = [each.title, each.description, each.footer?.text, each.author?.name];
  return texts.reduce((sum, part) => sum + (part?.length ?? 0), fields);
}

/** Validates an edit of a message. @throws DiscordApiError */
export function validateEdit(message: { readonly flags: number }, edit: unknown): MessagePayload {
  return validate(messageSchema, withLayoutFlag(message, edit));
}

/** The body of an edit with the message's flag IS_COMPONENTS_V2, which "can't be removed". */
export function withLayoutFlag({ flags: current }: { readonly flags: number }, edit: unknown): unknown {
  const layoutFlag = current & messageFlag.isComponentsV2;
  if (layoutFlag === 0 || typeof edit !== 'object' || edit === null) return edit;
  const flags = 'flags' in edit && typeof edit.flags === 'number' ? edit.flags : 0;
  return { ...edit, flags: flags | layoutFlag };
}
