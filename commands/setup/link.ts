import { type CommandInput, textField } from '../../src/discord/commands/input.ts';
import type { Later, Modal, Panel } from '../../src/discord/commands/reply.ts';
import type { GeneratedSecrets, KeyCheck, ListingSettings } from '../../src/features/setup/community.ts';
import { minute, second } from '../../src/platform/durations.ts';
import { escapeName, lines, markup, subtext, timestamp } from '../../src/texts/markup.ts';
import { renderChannelStep } from './first-steps.ts';
import { addressBlocks } from './listing-section.ts';
import { type Problem, panel, problemOf, renderProblems } from './results.ts';
import { authorOf, button, listingOptions, openView, type SetupView, textBlock } from './view.ts';

const pollMs = 2 * second;
/** A test that arrived shortly before the panel was opened counts (ms). */
const earlyMs = 1 * minute;
const linkDraft = 'link';

/** The form for a new listing. @param draft what was entered before, without keys and secrets */
export function linkForm({ texts, guildId }: SetupView, draft: CommandInput['fields'] = {}): Modal {
  const { forms, fields, hints, choices } = texts.setup;
  const kind = draft['kind'] === 'bot' ? 'bot' : 'server';
  const secret = { kind: 'text', description: hints.secret, required: false, maxLength: 200 } as const;
  return {
    kind: 'modal',
    title: forms.link,
    action: 'linked',
    fields: [
      {
        kind: 'radios',
        name: 'kind',
        label: fields.kind,
        choices: (['server', 'bot'] as const).map((each) => ({
          value: each,
          label: choices[each],
          selected: each === kind,
        })),
      },
      {
        kind: 'text',
        name: 'targetId',
        label: fields.targetId,
        description: hints.targetId,
        required: false,
        value: typeof draft['targetId'] === 'string' ? draft['targetId'] : guildId,
        maxLength: 20,
      },
      {
        kind: 'text',
        name: 'lookupKey',
        label: fields.lookupKey,
        description: hints.lookupKey,
        maxLength: 300,
      },
      { ...secret, name: 'voteSecret', label: fields.voteSecret },
      { ...secret, name: 'premiumSecret', label: fields.premiumSecret },
    ],
  };
}

export function reopenLinkForm(view: SetupView): Modal | null {
  const draft = view.services.drafts.find(draftKey(view));
  return draft === null ? null : linkForm(view, draft);
}

/** Checks the key with one request, saves the listing, and shows what to enter in the service's dashboard. */
export async function linkListing(view: SetupView): Promise<Panel> {
  const { input, services, clock, guildId } = view;
  const kind = input.fields['kind'] === 'bot' ? 'bot' : 'server';
  const lookupKey = textField(input, 'lookupKey');
  const entered = textField(input, 'targetId');
  const check = await services.checks.checkKey(guildId, kind, lookupKey);
  if (check.status !== 'valid') return renderUnlinked(view, [keyProblem(view, check)]);
  const isThisGuild = kind === 'bot' && entered === guildId;
  const startedAt = clock.now();
  const result = await services.settings.link({
    ...authorOf(view),
    kind,
    targetId: check.targetId ?? (entered === '' || isThisGuild ? (kind === 'server' ? guildId : null) : entered),
    lookupKey,
    voteSecret: textField(input, 'voteSecret') || null,
    premiumSecret: textField(input, 'premiumSecret') || null,
  });
  if (result.status === 'invalid') {
    return renderUnlinked(
      view,
      result.issues.map((issue) => problemOf(issue, view)),
    );
  }
  const linked = { ...view, listing: result.listing };
  return renderWaiting(linked, result.listing, { since: startedAt, secrets: result.secrets, name: check.name });
}

function renderUnlinked(view: SetupView, problems: readonly Problem[]): Panel {
  const { texts, input, services } = view;
  const { buttons, problems: own } = texts.setup;
  const { kind = '', targetId = '' } = input.fields;
  services.drafts.put(draftKey(view), { kind, targetId });
  return panel(
    'bad',
    own.title,
    [textBlock(renderProblems(problems)), textBlock(subtext(own.kept))],
    [button(buttons.editAgain, 'link', { again: 1 }, 'primary'), button(buttons.overview, 'overview')],
  );
}

function draftKey({ guildId, input }: SetupView): string {
  return JSON.stringify([guildId, input.userId, linkDraft]);
}

/** What is wrong with a key, in the words of the manager. */
export function keyProblem({ texts }: SetupView, check: Exclude<KeyCheck, { status: 'valid' }>): Problem {
  const { link, fields, hints } = texts.setup;
  const text = 'retryAt' in check ? link[check.status](timestamp(check.retryAt, 'R')) : link[check.status];
  return { text: lines(markup`**${escapeName(fields.lookupKey)}**`, text), hint: escapeName(hints.lookupKey) };
}

/** The addresses, and the secrets if they are new; turns green when the test arrives. @param since ms since the epoch */
export function renderWaiting(
  view: SetupView,
  listing: ListingSettings,
  { since, secrets, name }: { since: number; secrets: GeneratedSecrets | null; name: string },
): Panel {
  const { texts } = view;
  const { link, buttons } = texts.setup;
  const options = { l: listing.name, t: Math.floor((since - earlyMs) / second) };
  return {
    ...panel(
      'wait',
      link.title(escapeName(name, 80)),
      [
        textBlock(link.copy),
        ...addressBlocks(view, listing, secrets),
        ...(secrets === null ? [] : [textBlock(subtext(link.once))]),
        textBlock(link.waiting),
      ],
      [
        button(buttons.checkAgain, 'check', options, 'primary'),
        button(buttons.later, 'step-channel', { l: listing.name }),
      ],
    ),
    later: waitForTest(view, listing.name, since - earlyMs),
  };
}

/** Polls while the message can be changed. */
function waitForTest(view: SetupView, listing: string, since: number): Later {
  const { input, services, clock, guildId } = view;
  return async (signal) => {
    while (!signal.aborted) {
      await clock.sleep(pollMs, signal);
      const at = signal.aborted ? null : await services.settings.testSince(guildId, listing, since);
      if (at === null) continue;
      const current = await openView({ ...input, action: null, options: { l: listing } }, view, guildId);
      return renderArrived(current, at);
    }
    return null;
  };
}

/** "Check again": a new message if nothing has arrived, because the secrets in the first one are shown only there. */
export async function checkTest(view: SetupView): Promise<Panel> {
  const { input, services, listing, texts, guildId } = view;
  const since = Number(input.options['t']) * second;
  const at =
    listing === null || !Number.isSafeInteger(since)
      ? null
      : await services.settings.testSince(guildId, listing.name, Math.max(0, since));
  if (at !== null) return renderArrived(view, at);
  return { ...panel('wait', texts.setup.link.notYet, [], []), response: 'new' };
}

function renderArrived(view: SetupView, at: number): Panel {
  return renderChannelStep(view, view.texts.setup.link.arrived(timestamp(at, 'R')));
}

export function keyForm({ texts, listing }: SetupView): Modal {
  const { forms, fields, hints } = texts.setup;
  return {
    kind: 'modal',
    title: forms.key,
    action: 'key-saved',
    options: listingOptions({ listing }),
    fields: [
      { kind: 'text', name: 'lookupKey', label: fields.lookupKey, description: hints.lookupKey, maxLength: 300 },
    ],
  };
}
