import { type APIInteraction, ApplicationCommandType, InteractionType } from 'discord-api-types/v10';
import { z } from 'zod';

/*
 * The parts of interactions that this program reads. The signature proves that an interaction is from Discord, but not
 * that it has the shape of today. Discord: "Interaction Structure".
 */

const text = z.string().min(1);
/** A bit set in decimal. */
const permissions = z.string().regex(/^\d{1,30}$/);
const user = z.looseObject({ id: text, username: z.string(), global_name: z.string().nullish() });
const member = z.looseObject({
  user,
  nick: z.string().nullish(),
  roles: z.array(z.string()),
  permissions: permissions.optional(),
});

const anyInteraction = z.looseObject({ type: z.number() });

/** What a user of Discord caused. */
const userInteraction = z
  .looseObject({
    id: text,
    token: text,
    application_id: text.optional(),
    guild_id: text.optional(),
    member: member.optional(),
    user: user.optional(),
    channel: z.looseObject({ id: text }).optional(),
    app_permissions: permissions.optional(),
    locale: z.string().optional(),
    guild_locale: z.string().optional(),
    context: z.number().nullish(),
    authorizing_integration_owners: z.record(z.string(), z.string()).optional(),
  })
  .refine(({ guild_id, member, user, authorizing_integration_owners: owners }) =>
    guild_id === undefined ? (member ?? user) !== undefined : member !== undefined && owners !== undefined,
  );

const option = z.looseObject({
  name: text,
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().optional(),
});
const command = { id: text, name: text };
const message = z.looseObject({ attachments: z.array(z.unknown()), flags: z.int().optional() });
const objects = z.record(z.string(), z.looseObject({}));
const users = z.record(
  z.string(),
  z.looseObject({ username: z.string(), global_name: z.string().nullish(), bot: z.boolean().optional() }),
);
const resolved = z.looseObject({ users: users.optional(), channels: objects.optional(), roles: objects.optional() });
const field = z.looseObject({ custom_id: z.string().optional(), values: z.array(z.string()).optional() });
const component = z.looseObject({ components: z.array(field).optional(), component: field.optional() });

/** By the type of the interaction. */
const contents: Readonly<Partial<Record<InteractionType, z.ZodType>>> = {
  [InteractionType.ApplicationCommand]: z.looseObject({
    data: z
      .looseObject({
        ...command,
        type: z.number(),
        options: z.array(option).optional(),
        target_id: text.optional(),
        resolved: resolved.optional(),
      })
      .refine(({ type, target_id }) => type !== ApplicationCommandType.User || target_id !== undefined),
  }),
  [InteractionType.ApplicationCommandAutocomplete]: z.looseObject({
    data: z.looseObject({ ...command, options: z.array(option) }),
  }),
  [InteractionType.MessageComponent]: z.looseObject({
    data: z.looseObject({
      custom_id: z.string(),
      component_type: z.number(),
      values: z.array(z.string()).optional(),
      resolved: resolved.optional(),
    }),
    message,
  }),
  [InteractionType.ModalSubmit]: z.looseObject({
    data: z.looseObject({ custom_id: z.string(), components: z.array(component), resolved: resolved.optional() }),
    message: message.optional(),
  }),
};

/** The interaction of a signed body; null if a part that this program reads is missing or has another type. */
export function parseInteraction(body: Buffer): APIInteraction | null {
  const value = parse(body);
  const kind = anyInteraction.safeParse(value).data?.type;
  if (kind === undefined) return null;
  if (kind !== InteractionType.Ping && !userInteraction.safeParse(value).success) return null;
  const content = Object.hasOwn(contents, kind) ? contents[kind as InteractionType] : undefined;
  return content === undefined || content.safeParse(value).success ? (value as APIInteraction) : null;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
