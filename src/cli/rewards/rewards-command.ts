import { command } from '../../platform/terminal/command.ts';
import { UsageError, withSuggestion } from '../../platform/terminal/terminal.ts';
import { backfillRewards } from './backfill.ts';
import { simulateRewards } from './simulate.ts';

const help = `tallyhook rewards: try other rules on the real history, or pay for the time before the rules

Usage
  tallyhook rewards simulate --rules FILE [options]
      report what other rules would have paid for all recorded votes and premium, against what was paid. It reads a
      consistent snapshot and changes nothing. Corrections, claims of roles and the shop are left out.

  tallyhook rewards backfill [options]
      pay what the rules in force would have earned members before they were switched on: streaks, milestones, the
      bonus for all listings, and parties of periods that have ended. Credits of votes stay as they were paid. Each
      achievement is paid once ever, so it can be stopped at any time, and run again; the bot may run meanwhile. Roles
      of milestones are granted.

Options of simulate
  --rules FILE      JSON file with the content of "rewards" of a listing, and optionally "timeZone". Credits per vote
                    and premium that it leaves out stay as they are; any other rule that it leaves out is off.
  --listing NAME    the rules are for this listing only; the others keep theirs
  --json            print a JSON object with all members: {members: [{userId, paid, simulated, difference}],
                    summary: {members, votes, causes: [{cause, paid: {entries, credits}, simulated}], total}}
  --csv             print all members as CSV with a header; the summary is printed to stderr

Options of backfill
  --dry-run         report what would be paid, and pay nothing
  --yes             pay without asking; required if the input is not a terminal
  --json            print the result as a JSON object: {paid, members, roles, causes: [{cause, entries, credits}]}

  --help            print this help

Votes within the cooldown stay uncounted. A multiplier for a role uses the roles last seen of the member, and a party
goes by the time of the votes. Both actions need the settings of the bot. Progress is printed to stderr.

Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or rules.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const actions = ['simulate', 'backfill'];

/** `tallyhook rewards`. */
export const rewardsCommand = command({
  help,
  options: { rules: text, listing: text, json: flag, csv: flag, 'dry-run': flag, yes: flag },
  allowPositionals: true,
  actions,
  async run({ values, positionals }, terminal) {
    const [action = '', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
    const { rules, listing, json, csv, 'dry-run': dryRun, yes } = values;
    if (action === 'simulate') {
      if (dryRun || yes) throw new UsageError('--dry-run and --yes are options of backfill.');
      return simulateRewards({ rules, listing, json, csv }, terminal);
    }
    if (action === 'backfill') {
      if (rules !== undefined || listing !== undefined || csv) {
        throw new UsageError('--rules, --listing and --csv are options of simulate.');
      }
      return backfillRewards({ dryRun, yes, json }, terminal);
    }
    const message = action === '' ? 'Specify what to do: simulate or backfill.' : `Unknown action "${action}".`;
    throw new UsageError(withSuggestion(message, action, actions));
  },
});
