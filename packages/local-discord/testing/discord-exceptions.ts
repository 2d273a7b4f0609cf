/** A value in a request or response, and its position. */
interface Part {
  /** As in `POST /users/@me/channels request`. */
  readonly at: string;
  /** As in `embeds.0.title`; empty for the root. */
  readonly field: string;
  readonly value: unknown;
}

/** A case in which the generated schemas contradict Discord's documentation, which takes precedence. */
interface Exception {
  readonly reason: string;
  readonly link: string;
  /** Returns the value that the schema expects. */
  apply(part: Part): unknown;
}

const docs = 'https://docs.discord.com/developers';

export const exceptions: readonly Exception[] = [
  {
    reason: 'The code of a form error is a string such as BASE_TYPE_REQUIRED; the document says number.',
    link: `${docs}/reference#error-messages`,
    apply: ({ field, value }) => (/_errors\.\d+\.code$/.test(field) && typeof value === 'string' ? 0 : value),
  },
  {
    reason:
      'A date-time may have an offset, such as +00:00, which Discord always uses; the generated schemas require Z.',
    link: `${docs}/reference#iso8601-date-time`,
    apply: ({ value }) => (hasUtcOffset(value) ? value.replace('+00:00', 'Z') : value),
  },
  {
    reason: 'Only some rate limit responses have a code.',
    link: `${docs}/topics/rate-limits#exceeding-a-rate-limit`,
    apply: ({ at, field, value }) =>
      at.endsWith('response 429') && field === '' ? { code: 0, ...(value as object) } : value,
  },
  {
    reason: 'Permissions are sent as a string of digits; the document says number.',
    link: `${docs}/interactions/application-commands#create-global-application-command`,
    apply: ({ at, field, value }) =>
      at.endsWith('request') &&
      /(default_member_permissions|install_params\.permissions)$/.test(field) &&
      typeof value === 'string'
        ? Number(value)
        : value,
  },
  {
    reason:
      'discord.js sends tts and enforce_nonce as false with every message, also if the endpoint has no such fields.',
    link: 'https://github.com/discordjs/discord.js/blob/14.28.1/packages/discord.js/src/structures/MessagePayload.js',
    apply: ({ at, field, value }) =>
      at.endsWith('request') && /^(data\.)?(tts|enforce_nonce)$/.test(field) && value === false ? undefined : value,
  },
  {
    reason: 'discord.js sends the type of a thread also if it is started from a message, where it is always public.',
    link: 'https://github.com/discordjs/discord.js/blob/14.28.1/packages/discord.js/src/managers/GuildTextThreadManager.js',
    apply: ({ at, field, value }) =>
      at.endsWith('/messages/{message_id}/threads request') && field === 'type' ? undefined : value,
  },
  {
    reason: 'The id of an attachment that is uploaded is a number in the examples of the documentation.',
    link: `${docs}/reference#uploading-files`,
    apply: ({ at, field, value }) =>
      at.endsWith('request') && /^(data\.)?attachments\.\d+\.id$/.test(field) && typeof value === 'number'
        ? String(value)
        : value,
  },
  {
    reason: 'Commands have the field nsfw, which the document does not have in requests.',
    link: `${docs}/interactions/application-commands#create-global-application-command`,
    apply: ({ at, field, value }) =>
      at.endsWith('request') && /^(\d+\.)?nsfw$/.test(field) && typeof value === 'boolean' ? undefined : value,
  },
];

/** Applies every exception to all values of a request or response. */
export function applyExceptions(
  at: string,
  data: unknown,
  applied: readonly Exception[] = exceptions,
  field = '',
): unknown {
  const value = applied.reduce((part, exception) => exception.apply({ at, field, value: part }), data);
  if (typeof value !== 'object' || value === null) return value;
  const inner = (name: string | number, part: unknown) =>
    applyExceptions(at, part, applied, field === '' ? `${name}` : `${field}.${name}`);
  if (Array.isArray(value)) return value.map((part, index) => inner(index, part));
  const parts = Object.entries(value).map(([name, part]) => [name, inner(name, part)] as const);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

function hasUtcOffset(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/.test(value);
}
