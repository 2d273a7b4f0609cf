import { command } from '@tallyhook/platform/terminal/command';
import { UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { decideAlarms, reverseVotes } from './forged-votes.ts';
import { simulateRewards } from './simulate.ts';

const help = `tallyhook rewards: try other rules, and deal with votes that may be forged

Usage
  tallyhook rewards simulate --rules FILE [options]
      report what the rules in force and other rules would have paid the members of a community in the last 30 days, for
      their votes and premium, as /setup does after a change. It changes nothing. Votes within the cooldown stay
      uncounted, and weights of votes on other sites are left out. A multiplier for a role uses the roles last seen of
      the member, and a party goes by the time of the votes.

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
  --json            print {days, credits: {before, after}}: by the rules in force, and by those of the file; credits is
                    null if nobody has voted

Options of alarms
  --json            print {listings: [{listing, state, heldAt, held, paid, usual}]}, with usual votes per hour

Options of reverse
  --from, --until   ISO 8601, in UTC without another time zone; the end is exclusive
  --dry-run         report what would be taken back, and take nothing
  --yes             do not ask; required if the input is not a terminal
  --json            print {members, votes, credits, spent}; spent are credits that members no longer had

  --help            print this help

Listings and rules are those of the settings and of /setup. All but alarms need the settings of the bot.

Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or rules.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** The options of each action. */
const optionsOf = {
  simulate: ['rules', 'listing', 'json'],
  alarms: ['release', 'reject', 'json'],
  reverse: ['listing', 'from', 'until', 'dry-run', 'yes', 'json'],
} as const;
type Action = keyof typeof optionsOf;
const actions = Object.keys(optionsOf) as Action[];

export const rewardsCommand = command({
  help,
  options: {
    ...{ rules: text, listing: text, json: flag, 'dry-run': flag, yes: flag },
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
    const { rules, listing, json, 'dry-run': dryRun, yes, release, reject, from, until } = values;
    switch (action) {
      case 'simulate':
        return simulateRewards({ rules, listing, json }, terminal);
      case 'alarms':
        return decideAlarms({ release, reject, json }, terminal);
      case 'reverse':
        return reverseVotes({ listing, from, until, dryRun, yes, json }, terminal);
    }
  },
});
