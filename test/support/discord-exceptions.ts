import type { Fault } from './discord-faults.ts';

interface Exception {
  readonly why: string;
  readonly link: string;
  covers(fault: Fault): boolean;
}

const docs = 'https://docs.discord.com/developers';

/** Where the rendered document and Discord's documentation disagree. The documentation wins. */
export const exceptions: readonly Exception[] = [
  {
    why: 'The code of a fault in a form is a word, such as BASE_TYPE_REQUIRED; the document says number.',
    link: `${docs}/reference#error-messages`,
    covers: ({ field, value }) => /(^|\.)_errors\.\d+\.code$/.test(field) && typeof value === 'string',
  },
  {
    why: 'A "date-time" may have an offset, as all of Discord\'s have (+00:00); the zod schemas want a Z.',
    link: `${docs}/reference#iso8601-date-time`,
    covers: ({ message, value }) =>
      message === 'Invalid ISO datetime' && /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(String(value)),
  },
  {
    why: 'The answer to too many requests has a code for some limits only.',
    link: `${docs}/topics/rate-limits#exceeding-a-rate-limit`,
    covers: ({ at, field, value }) => at.endsWith('answer 429') && field === 'code' && value === undefined,
  },
  {
    why: 'A set of permissions is sent as a text of digits; the document says number.',
    link: `${docs}/interactions/application-commands#create-global-application-command`,
    covers: ({ at, field, value }) =>
      at.endsWith('request') && field.endsWith('default_member_permissions') && /^\d+$/.test(String(value)),
  },
  {
    why: 'discord.js says of every message that it is neither spoken nor has an enforced nonce, also where neither can be.',
    link: 'https://github.com/discordjs/discord.js/blob/14.28.1/packages/discord.js/src/structures/MessagePayload.js',
    covers: ({ at, field, value }) =>
      at.endsWith('request') && /^(data\.)?(tts|enforce_nonce)$/.test(field) && value === false,
  },
];
