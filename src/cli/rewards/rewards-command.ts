import { command } from '../../terminal/command.ts';
import { UsageError, withSuggestion } from '../../terminal/terminal.ts';
import { simulateRewards } from './simulate.ts';

const help = `tallyhook rewards: try other rules on the real history, or pay for the time before the rules

Usage
  tallyhook rewards simulate --rules FILE [options]
      report what other rules would have paid for all recorded votes and premium, against what was paid. It reads a
      consistent snapshot and changes nothing. Corrections, claims of roles and the shop are left out.

Options of simulate
  --rules FILE      JSON file with the content of "rewards" of a listing, and optionally "timeZone". Credits per vote
                    and premium that it leaves out stay as they are; any other rule that it leaves out is off.
  --listing NAME    the rules are for this listing only; the others keep theirs
  --json            print a JSON object with all members: {members: [{userId, paid, simulated, difference}],
                    summary: {members, votes, causes: [{cause, paid: {entries, credits}, simulated}], total}}
  --csv             print all members as CSV with a header; the summary is printed to stderr
  --help            print this help

Votes within the cooldown stay uncounted. A multiplier for a role uses the roles last seen of the member, and a party
goes by the time of the votes. Progress is printed to stderr.

Exit codes: 0 success, 1 runtime error, 2 invalid usage, settings or rules.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const actions = { simulate: simulateRewards } as const;

/** `tallyhook rewards`. */
export const rewardsCommand = command({
  help,
  options: { rules: text, listing: text, json: flag, csv: flag },
  allowPositionals: true,
  async run({ values, positionals }, terminal) {
    const [action = '', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
    if (action === 'simulate') {
      const { rules, listing, json, csv } = values;
      return actions.simulate({ rules, listing, json, csv }, terminal);
    }
    const message = action === '' ? 'Specify what to do: simulate.' : `Unknown action "${action}".`;
    throw new UsageError(withSuggestion(message, action, Object.keys(actions)));
  },
});
