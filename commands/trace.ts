import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { userOption } from '../src/discord/commands/input.ts';
import { noListing } from '../src/discord/commands/no-listing.ts';
import type { Reply, ReplyField } from '../src/discord/commands/reply.ts';
import {
  cutMarkup,
  escapeName,
  escapeText,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  timestamp,
} from '../src/texts/markup.ts';
import type { Command, CommandContext } from './context.ts';
import { entryReason, programReason } from './entry-reason.ts';
import type { Trace, TracedDelivery, TracedEffect, TracedEntry, TracedRole } from './traces.ts';

/** Longer texts are truncated (characters). */
const maxNameLength = 60;
const maxReasonLength = 150;
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
    if (context.traces === null) return noListing(context);
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
      ...section(
        texts.trace.entries,
        entries.map((entry) => renderEntry(entry, texts)),
      ),
      ...section(
        texts.trace.roles,
        roles.map((role) => renderRole(role, texts)),
      ),
    ],
  };
}

function renderDelivery(delivery: TracedDelivery, texts: CommandContext['texts']): ReplyField {
  const { id, receivedAt, listing, entry, effects } = delivery;
  const name = listing === null ? null : escapeName(listing, maxNameLength);
  return {
    name: texts.trace.delivery(escapeText(String(id))),
    value: wholeLines([
      step(receivedAt, texts.trace.received(name), 'f'),
      step(entry?.at ?? receivedAt, renderOutcome(delivery, texts)),
      ...effects.map((effect) => step(effect.at, renderEffect(effect, texts))),
      ...renderSilence(delivery, texts),
    ]),
  };
}

function renderOutcome({ outcome, original, reason, entry }: TracedDelivery, texts: CommandContext['texts']): Markup {
  switch (outcome) {
    case 'duplicate':
      return texts.trace.duplicate(original);
    case 'test':
      return texts.trace.test;
    case 'aheadOfTime':
      return texts.trace.aheadOfTime;
    case 'unconfirmed':
      return texts.trace.unconfirmed;
    case 'ignored':
      return texts.trace.ignored;
    case 'quarantined':
      return texts.trace.quarantined(reasonOf(reason));
    case 'recorded':
      return renderRecorded(entry, texts);
  }
}

function renderRecorded(entry: TracedEntry | null, { trace: texts, claim }: CommandContext['texts']): Markup {
  if (entry === null) return texts.ended;
  switch (entry.cause) {
    case 'within_cooldown':
      return texts.withinCooldown;
    case 'revoked':
      return texts.revoked;
    case 'denied': {
      const denied = claim.denied(entry.reason === null ? markup`` : reasonOf(entry.reason));
      return markup`${denied} ${texts.recorded(entry.cause, entry.credits, null)}`;
    }
    default:
      return texts.recorded(entry.cause, entry.credits, null);
  }
}

function renderEffect(
  { kind, state, attempts, reason }: TracedEffect,
  { trace: texts }: CommandContext['texts'],
): Markup {
  if (state === 'done') return texts.effects.done(kind, attempts);
  if (state === 'buried') return texts.effects.failed(kind, reasonOf(reason));
  return reason === null ? texts.effects.waiting(kind) : texts.effects.retried(kind, reasonOf(reason));
}

/** Why it was not announced. That of other deliveries is in the settings: no channel, a digest, or no announcements. */
function renderSilence({ outcome, effects }: TracedDelivery, { trace: texts }: CommandContext['texts']): Markup[] {
  if (effects.some(({ kind }) => kind === 'announcement')) return [];
  return outcome === 'recorded' || outcome === 'test' ? [] : [texts.notAnnounced];
}

function renderEntry(entry: TracedEntry, texts: CommandContext['texts']): Markup {
  const { at, cause, credits, reason } = entry;
  const ofProgram = programReason(entry);
  if (ofProgram !== null) return step(at, texts.trace.entry(ofProgram, credits, null));
  return step(at, texts.trace.entry(texts.credits.causes[cause], credits, entryReason(cause, reason, texts)));
}

function step(at: number, text: Markup, style: 'T' | 'f' = 'T'): Markup {
  return markup`${timestamp(at, style)} ${text}`;
}

function reasonOf(reason: string | null): Markup {
  return escapeName(reason ?? '?', maxReasonLength);
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
