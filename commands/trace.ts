import {
  bold,
  cutMarkup,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  subtext,
  timestamp,
  withMentions,
} from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Cause } from '../src/core/ledger/entry.ts';
import { effectName } from '../src/core/outbox/effect-kind.ts';
import { type CommandInput, noListing, userOption } from '../src/discord/commands/command.ts';
import { findListingPage } from '../src/discord/commands/listing-page.ts';
import type { Reply, ReplyField, ReplySelect } from '../src/discord/commands/reply.ts';
import type { Trace, TracedDelivery } from '../src/features/traces/parts.ts';
import type { Command, CommandContext } from './context.ts';
import { causeName, entryReason, giftText, programReason } from './entry-reason.ts';

const maxReasonLength = 150;
/** So that all fit into an embed (characters). */
const maxTextLength = 4_000;
const maxFieldLength = 900;
const maxNameLength = 100;

/** Causes of entries that neither count nor pay. */
const uncounted: readonly Cause[] = ['within_cooldown', 'revoked'];

/** The command that shows the results of a member's last deliveries, one line each. */
export const trace = {
  name: 'trace',
  visibility: 'private',
  actions: ['pay'],
  menu: ({ text }) => text('trace.menu'),
  defaultMemberPermissions: 'ManageGuild',
  needs: 'accounts',
  describe: ({ texts }) => ({
    description: texts.text('trace.description'),
    options: [
      {
        type: ApplicationCommandOptionType.User,
        name: 'user',
        description: texts.text('trace.userOption'),
        required: true,
      },
    ],
  }),
  async execute(input, context) {
    const userId = userOption(input, 'user', input.userId);
    if (context.traces === null) return noListing(context);
    if (input.action === 'pay') return payRefused(input, userId, context);
    const found = await context.traces.trace(userId);
    return renderTrace(userId, found, await listingNames(found, context), context);
  },
} as const satisfies Command;

function renderTrace(
  userId: string,
  { deliveries, entries, roles }: Trace,
  names: ReadonlyMap<string, Markup>,
  context: CommandContext,
): Reply {
  const { texts } = context;
  const isEmpty = deliveries.length + entries.length + roles.length === 0;
  const member = mention(userId);
  return {
    tone: 'plain',
    title: texts.text('trace.title'),
    text: isEmpty
      ? texts.text('trace.nothing', { user: member })
      : wholeLines(
          [texts.text('trace.of', { user: member }), ...deliveries.map((each) => renderDelivery(each, names, texts))],
          maxTextLength,
        ),
    selects: refusedSelect(userId, deliveries, context),
    fields: [
      ...section(
        texts.text('trace.entries'),
        entries.map((entry) => renderEntry(entry, texts)),
      ),
      ...section(
        texts.text('trace.roles'),
        roles.map((role) => renderRole(role, texts)),
      ),
    ],
  };
}

/** The refused votes, to pay one of them all the same. */
function refusedSelect(
  userId: string,
  deliveries: Trace['deliveries'],
  { displayName, texts: { text } }: CommandContext,
): ReplySelect[] {
  const choices = deliveries.flatMap(({ id, receivedAt, listing, isPayable }) => {
    if (!isPayable) return [];
    const time = `${new Date(receivedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const name = listing === null ? {} : { description: plainName(displayName(listing), maxNameLength) };
    return [{ value: String(id), label: time, ...name }];
  });
  if (choices.length === 0) return [];
  const placeholder = text('trace.payRefused');
  return [{ kind: 'choices', action: 'pay', options: { user: userId }, placeholder, choices }];
}

async function payRefused(
  input: CommandInput,
  userId: string,
  { refusedVotes, texts }: CommandContext,
): Promise<Reply> {
  const user = mention(userId);
  const paid = await refusedVotes?.pay(Number(input.values[0]), userId, input.userId);
  if (!paid) return { tone: 'wait', text: texts.text('trace.paidAlready', { user }) };
  const credits = texts.text('parts.credits', { count: paid.credits });
  return { tone: 'good', text: texts.text('trace.paid', { user, credits }) };
}

async function listingNames({ deliveries }: Trace, context: CommandContext): Promise<ReadonlyMap<string, Markup>> {
  const names = new Set(deliveries.flatMap(({ listing }) => listing ?? []));
  const named = [...names].map(async (name) => [name, (await findListingPage(name, context)).name] as const);
  return new Map(await Promise.all(named));
}

/** A line with what came of it, and below it only what failed or waits. */
function renderDelivery(
  delivery: TracedDelivery,
  names: ReadonlyMap<string, Markup>,
  texts: CommandContext['texts'],
): Markup {
  const { receivedAt, listing, effects, outcome } = delivery;
  const { text } = texts;
  const done = effects.filter(({ state }) => state === 'done');
  const name = listing === null ? text('trace.unknownListing') : bold(names.get(listing) ?? markup``);
  const problems = [
    outcome === 'aheadOfTime' ? text('trace.aheadOfTime') : null,
    outcome === 'quarantined' ? text('trace.quarantined', { reason: reasonOf(delivery.reason) }) : null,
    ...effects.map((effect) => renderProblem(effect, texts)),
  ];
  const roles = new Set(done.flatMap(({ role }) => role ?? []));
  return lines(
    joined(
      [
        markup`${signOf(delivery)} ${shortTime(receivedAt)}`,
        name,
        renderOutcome(delivery, texts),
        joined([...roles].map(roleMention), ' '),
        done.some(({ kind }) => kind === 'announcement') ? text('trace.announced') : null,
      ],
      ' · ',
    ),
    ...problems.map((problem) => problem && subtext(problem)),
  );
}

function signOf({ outcome, entry, effects }: TracedDelivery): Markup {
  if (outcome === 'quarantined') return markup`❌`;
  if (effects.some(({ state }) => state === 'buried')) return markup`⚠️`;
  const isWaiting = ['aheadOfTime', 'unconfirmed', 'unknownMember'].includes(outcome);
  if (isWaiting || effects.some(({ state }) => state === 'waiting')) return markup`⏳`;
  if (outcome === 'test') return markup`🧪`;
  const isCounted = outcome === 'recorded' && entry !== null && !uncounted.includes(entry.cause);
  return isCounted ? markup`✅` : markup`➖`;
}

function renderOutcome({ outcome, entry, refusal }: TracedDelivery, texts: CommandContext['texts']): Markup | null {
  if (refusal !== null) return texts.text(`trace.refused.${refusal}`);
  switch (outcome) {
    case 'duplicate':
    case 'test':
    case 'unconfirmed':
    case 'unknownMember':
    case 'ignored':
      return texts.text(`trace.${outcome}`);
    case 'aheadOfTime':
    case 'quarantined':
      return null;
    case 'recorded': {
      if (entry === null) return texts.text('trace.ended');
      const { cause, credits, reason } = entry;
      const why = entryReason(cause, reason, texts);
      const paid = joined([texts.signed(credits), why === null ? null : markup`(${why})`], ' ');
      return joined([cause === 'vote' ? null : causeName(cause, texts), paid], ' · ');
    }
  }
}

/** Null for what is done. */
function renderProblem(
  { kind, state, reason }: TracedDelivery['effects'][number],
  texts: CommandContext['texts'],
): Markup | null {
  if (state === 'done') return null;
  const { text } = texts;
  const effect = effectName(kind, texts);
  if (reason === null && state !== 'buried') return text('trace.waiting', { effect });
  return text(state === 'buried' ? 'trace.failed' : 'trace.retried', { effect, reason: reasonOf(reason) });
}

function renderEntry(entry: Trace['entries'][number], texts: CommandContext['texts']): Markup {
  const { at, cause, credits, reason } = entry;
  const ofProgram = programReason(entry) ?? giftText(entry, texts);
  if (ofProgram !== null) return step(at, renderPaid(ofProgram, credits, texts));
  const why = entryReason(cause, reason, texts);
  const paid = renderPaid(causeName(cause, texts), credits, texts);
  return step(at, why === null ? paid : markup`${paid} (${why})`);
}

function renderPaid(cause: Markup, credits: number, { text }: CommandContext['texts']): Markup {
  const amount = text('parts.credits', { count: Math.abs(credits) });
  const signed = credits === 0 ? amount : credits < 0 ? markup`−${amount}` : markup`+${amount}`;
  return text('trace.entry', { cause, credits: signed });
}

function step(at: number, text: Markup): Markup {
  return markup`${shortTime(at)} · ${text}`;
}

/** Shorter than Discord's style for both. */
function shortTime(at: number): Markup {
  return markup`${timestamp(at, 'd')} ${timestamp(at, 't')}`;
}

function reasonOf(reason: string | null): Markup {
  return withMentions(escapeName(reason ?? '?', maxReasonLength));
}

function renderRole({ role, until, state }: Trace['roles'][number], texts: CommandContext['texts']): Markup {
  const { text } = texts;
  const end = until === null ? markup`` : markup` ${text('trace.until', { time: timestamp(until, 'f') })}`;
  return markup`${roleMention(role)}${end}: ${text(`trace.roleStates.${state}`)}`;
}

function section(name: Markup, rows: readonly Markup[]): ReplyField[] {
  return rows.length === 0 ? [] : [{ name, value: wholeLines(rows, maxFieldLength) }];
}

function wholeLines(rows: readonly Markup[], maxLength: number): Markup {
  let count = rows.length;
  while (count > 1 && lines(...rows.slice(0, count)).length > maxLength) count -= 1;
  return cutMarkup(lines(...rows.slice(0, count)), maxLength);
}
