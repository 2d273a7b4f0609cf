import { loadDatabaseUrl } from '../../../config/load.ts';
import { systemClock } from '../../platform/clock.ts';
import { formatCount, isoTime } from '../../platform/durations.ts';
import { exitCode, type Terminal, UsageError, withSuggestion } from '../../platform/terminal/terminal.ts';
import { withStore } from '../open-database.ts';

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
    return exitCode.ok;
  });
}

const stateTexts = {
  held: 'held',
  releasing: 'to be paid by the bot',
  rejecting: 'to be rejected by the bot',
} as const;
