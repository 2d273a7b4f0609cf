import { command } from '../../platform/terminal/command.ts';
import { UsageError, withSuggestion } from '../../platform/terminal/terminal.ts';
import { backfillRewards } from './backfill.ts';
import { decideAlarms, reverseVotes } from './forged-votes.ts';
import { simulateRewards } from './simulate.ts';

const help = `tallyhook rewards: try other rules, pay for the time before the rules, and deal with votes that may be forged

Usage
  tallyhook rewards simulate --rules FILE [options]
      report what other rules would have paid for all recorded votes and premium of a community, against what was paid.
      It reads a consistent snapshot and changes nothing. Corrections, claims of roles, the shop, and weights of votes on
      other sites are left out.

  tallyhook rewards backfill [options]
      pay what the rules in force would have earned members before they were switched on: streaks, milestones, the
      bonus for all listings, and parties of periods that have ended. Credits of votes stay as they were paid. Each
      achievement is paid once ever, so it can be stopped at any time, and run again; the bot may run meanwhile. Roles
      of milestones are granted.

  tallyhook rewards alarms [--release NAME | --reject NAME]
      list the listings of which many more votes than usual have arrived, which are held. Released votes are paid by the
      running bot, with their own times; rejected ones are never paid.

  tallyhook rewards reverse --listing NAME --from TIME --until TIME [options]
      take back what the votes of a listing between two times have earned, as far as members still have it. The votes
      count no longer, and their roles end. It can be stopped at any time, and run again; the bot may run meanwhile.

Options of simulate
  --rules FILE      JSON file with the content of "rewards" of a listing, and optionally "timeZone". Credits per vote
                    and premium that it leaves out stay as they are; any other rule that it leaves out is off.
  --listing NAME    the rules are for this listing only; the others of its community keep theirs
  --json            print a JSON object with all members: {members: [{userId, paid, simulated, difference}],
                    summary: {members, votes, causes: [{cause, paid: {entries, credits}, simulated}], total}}
  --csv             print all members as CSV with a header; the summary is printed to stderr

Options of backfill
  --dry-run         report what would be paid, and pay nothing
  --yes             pay without asking; required if the input is not a terminal
  --json            print the result as a JSON object: {paid, members, roles, causes: [{cause, entries, credits}]}

Options of alarms
  --json            print {listings: [{listing, state, heldAt, held, paid, usual}]}, with usual votes per hour

Options of reverse
  --from, --until   ISO 8601, in UTC without another time zone; the end is exclusive
  --dry-run         report what would be taken back, and take nothing
  --yes             do not ask; required if the input is not a terminal
  --json            print {members, votes, credits, spent}; spent are credits that members no longer had

  --help            print this help

Votes within the cooldown stay uncounted. A multiplier for a role uses the roles last seen of the member, and a party
goes by the time of the votes. Listings and rules are those of the settings and of /setup. All but alarms need the
settings of the bot. Progress is printed to stderr.

Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or rules.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** The options of each action. */
const optionsOf = {
  simulate: ['rules', 'listing', 'json', 'csv'],
  backfill: ['dry-run', 'yes', 'json'],
  alarms: ['release', 'reject', 'json'],
  reverse: ['listing', 'from', 'until', 'dry-run', 'yes', 'json'],
} as const;
type Action = keyof typeof optionsOf;
const actions = Object.keys(optionsOf) as Action[];

export const rewardsCommand = command({
  help,
  options: {
    ...{ rules: text, listing: text, json: flag, csv: flag, 'dry-run': flag, yes: flag },
    ...{ release: text, reject: text, from: text, until: text },
  },
  allowPositionals: true,
  actions,
  async run({ values, positionals }, terminal) {
    const [name = '', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
    const action = actions.find((each) => each === name);
    if (action === undefined) {
      const message = name === '' ? `Specify what to do: ${actions.join(', ')}.` : `Unknown action "${name}".`;
      throw new UsageError(withSuggestion(message, name, actions));
    }
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== false);
    const allowed: readonly string[] = optionsOf[action];
    const unexpected = given.find(([option]) => !allowed.includes(option))?.[0];
    if (unexpected !== undefined) {
      const owners = actions.filter((each) => optionsOf[each].some((option) => option === unexpected));
      throw new UsageError(`--${unexpected} is an option of ${owners.join(' and ')}, not of ${action}.`);
    }
    const { rules, listing, json, csv, 'dry-run': dryRun, yes, release, reject, from, until } = values;
    switch (action) {
      case 'simulate':
        return simulateRewards({ rules, listing, json, csv }, terminal);
      case 'backfill':
        return backfillRewards({ dryRun, yes, json }, terminal);
      case 'alarms':
        return decideAlarms({ release, reject, json }, terminal);
      case 'reverse':
        return reverseVotes({ listing, from, until, dryRun, yes, json }, terminal);
    }
  },
});
