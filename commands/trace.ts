import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import {
  cutMarkup,
  escapeText,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  timestamp,
} from '../src/texts/markup.ts';
import { type Command, type CommandContext, userOption } from './command.ts';
import type { Reply, ReplyField } from './reply.ts';
import type { Trace, TracedDelivery, TracedRole } from './traces.ts';

/** Longer texts are truncated (characters). */
const maxStepLength = 200;
/** So that all deliveries fit into an embed (characters). */
const maxFieldLength = 900;

/** What happened to the last deliveries of a member, step by step. */
export const trace = {
  name: 'trace',
  visibility: 'private',
  hasPages: false,
  defaultMemberPermissions: 'ManageGuild',
  isServedBy: () => true,
  describe: ({ texts }) => ({
    description: texts.trace.description,
    options: [
      { type: ApplicationCommandOptionType.User, name: 'user', description: texts.trace.userOption, required: true },
    ],
  }),
  async execute(input, context) {
    const userId = userOption(input, 'user', input.userId);
    return renderTrace(userId, await context.traces.trace(userId), context);
  },
} as const satisfies Command;

function renderTrace(userId: string, { deliveries, entries, roles }: Trace, { texts }: CommandContext): Reply {
  const isEmpty = deliveries.length + entries.length + roles.length === 0;
  return {
    tone: 'plain',
    title: texts.trace.title,
    text: isEmpty ? texts.trace.nothing(mention(userId)) : texts.trace.of(mention(userId)),
    fields: [
      ...deliveries.map((delivery) => renderDelivery(delivery, texts)),
      ...section(texts.trace.entries, entries.map(renderStep)),
      ...section(
        texts.trace.roles,
        roles.map((role) => renderRole(role, texts)),
      ),
    ],
  };
}

function renderDelivery({ id, receivedAt, why, steps }: TracedDelivery, texts: CommandContext['texts']): ReplyField {
  return {
    name: texts.trace.delivery(escapeText(String(id))),
    value: wholeLines([timestamp(receivedAt, 'f'), escapeText(why, maxStepLength), ...steps.map(renderStep)]),
  };
}

function renderStep({ at, text }: { readonly at: number; readonly text: string }): Markup {
  return markup`${timestamp(at, 'T')} ${escapeText(text, maxStepLength)}`;
}

function renderRole({ role, until, state }: TracedRole, texts: CommandContext['texts']): Markup {
  const { roleStates, until: untilTime } = texts.trace;
  const end = until === null ? markup`` : markup` ${untilTime(timestamp(until, 'f'))}`;
  return markup`${roleMention(role)}${end}: ${roleStates[state]}`;
}

function section(name: Markup, rows: readonly Markup[]): ReplyField[] {
  return rows.length === 0 ? [] : [{ name, value: wholeLines(rows) }];
}

/** As many of the lines as fit. */
function wholeLines(rows: readonly Markup[]): Markup {
  let count = rows.length;
  while (count > 1 && lines(...rows.slice(0, count)).length > maxFieldLength) count -= 1;
  return cutMarkup(lines(...rows.slice(0, count)), maxFieldLength);
}
