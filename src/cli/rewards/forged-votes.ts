import { systemClock } from '@tallyhook/platform/clock';
import { formatCount, isoTime } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { confirm } from '@tallyhook/platform/terminal/confirm';
import { exitCode, type Terminal, UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { loadConfig, loadDatabaseUrl } from '../../../config/load.ts';
import { createReversals, type ReversalTotals } from '../../features/corrections/reversals.ts';
import { communitiesOf } from '../import/find-community.ts';
import { type BulkOptions, withStore } from '../open-database.ts';

/** `tallyhook rewards alarms`. */
export async function decideAlarms(
  options: { readonly release?: string | undefined; readonly reject?: string | undefined; readonly json: boolean },
  { print }: Terminal,
): Promise<number> {
  const { release, reject, json } = options;
  if (release !== undefined && reject !== undefined) throw new UsageError('Choose either --release or --reject.');
  const name = release ?? reject;
  return withStore(loadDatabaseUrl(process.env), async ({ rateAlarms }) => {
    if (name !== undefined) {
      const decision = release === undefined ? 'reject' : 'release';
      const known = (await rateAlarms.held()).map(({ listing }) => listing);
      if (!(await rateAlarms.decide(name, decision, systemClock.now())))
        throw new UsageError(withSuggestion(`No votes of "${name}" are held.`, name, known));
    }
    const listings = await rateAlarms.held();
    if (json)
      print(JSON.stringify({ listings: listings.map((each) => ({ ...each, heldAt: isoTime(each.heldAt) })) }, null, 2));
    else if (listings.length === 0) print('No votes are held.');
    for (const { listing, state, heldAt, held, paid, usual } of json ? [] : listings) {
      const rates = `${paid} were paid in one hour before, about ${Math.round(usual)} are usual`;
      print(`${isoTime(heldAt)}  ${listing}: ${formatCount(held, 'vote')} ${stateTexts[state]}; ${rates}`);
    }
    if (!json && listings.some(({ state }) => state !== 'releasing')) print(rejectionHint);
    return exitCode.ok;
  });
}

const rejectionHint =
  'Before you reject votes, replace the secret, here and at the site: those that arrive after that are held again.';

const stateTexts = {
  held: 'held',
  releasing: 'to be paid by the bot',
  rejecting: 'to be rejected by the bot',
} as const;

/** `tallyhook rewards reverse`. */
export async function reverseVotes(
  options: BulkOptions & Readonly<Record<'listing' | 'from' | 'until', string | undefined>>,
  terminal: Terminal,
): Promise<number> {
  const { listing, dryRun, yes, json } = options;
  const [from, until] = [timeOf(options.from, '--from'), timeOf(options.until, '--until')];
  if (listing === undefined) throw new UsageError('Specify the listing with --listing.');
  if (from >= until) throw new UsageError('--until must be later than --from.');
  const range = { listing, from, until };
  const config = loadConfig(process.env);
  return withStore(config.databaseUrl, async (store) => {
    const communities = await communitiesOf(config, store);
    const names = communities.flatMap(({ named }) => named.map(({ name }) => name));
    const community = communities.find(({ named }) => named.some(({ name }) => name === listing));
    if (community === undefined)
      throw new UsageError(withSuggestion(`There is no listing "${listing}".`, listing, names));
    const log = createLog({ level: 'silent', secrets: config.secrets });
    const reversals = createReversals({ store, listingsOf: () => community.named, clock: systemClock, log });
    const planned = await reversals.preview(range);
    if (dryRun || planned.votes === 0) {
      terminal.print(json ? JSON.stringify({ ...planned, spent: 0 }) : `Would take back ${inWords(planned)}.`);
      return exitCode.ok;
    }
    const question = `Take back ${inWords(planned)}, except what members have spent?`;
    if (!yes && !(await confirm(question, 'Nothing was taken back.', terminal))) return exitCode.ok;
    const reversed = await reversals.reverse(range, terminal.stop).catch((error: unknown) => {
      if (!terminal.stop.aborted) throw error;
      throw new TallyhookError('stopped', 'Stopped.', { hint: 'Run it again: it continues.' });
    });
    const spent = reversed.spent > 0 ? ` ${formatCount(reversed.spent, 'credit')} had been spent.` : '';
    terminal.print(json ? JSON.stringify(reversed) : `Took back ${inWords(reversed)}.${spent}`);
    return exitCode.ok;
  });
}

function inWords({ credits, votes, members }: ReversalTotals): string {
  return `${formatCount(credits, 'credit')} and ${formatCount(votes, 'vote')} of ${formatCount(members, 'member')}`;
}

/** Ms since the epoch. @throws UsageError */
function timeOf(text: string | undefined, option: string): number {
  const [, time, zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text ?? '') ?? [];
  const at = Date.parse(`${time}${zone ?? 'Z'}`);
  if (Number.isNaN(at)) throw new UsageError(`${option} must be a time such as 2026-01-31T12:00Z.`);
  return at;
}
