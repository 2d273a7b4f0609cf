import { loadConfig } from '../../config/load.ts';
import { formatPreview, previewListings } from '../owner/announcement-previews.ts';
import { systemClock } from '../platform/clock.ts';
import { command } from '../platform/terminal/command.ts';
import { exitCode, UsageError, withSuggestion } from '../platform/terminal/terminal.ts';

const help = `tallyhook announcements: show what the announcements of the settings look like

Usage
  tallyhook announcements preview [options]
      print each kind of announcement with sample members, without connecting to Discord: votes, milestones, premium,
      digests, lost streaks, reviews and tests, as far as the settings announce them. Discord shows its own markup, such
      as **bold**, and mentions and times in its own way.

Options
  --listing NAME   this listing only
  --json           print a JSON array: [{listing, mode, previews: [{subject, title, text: [line], buttons: [label]}]}]
  --help           print this help

Exit codes: 0 success, 2 invalid usage or settings.`;

/** `tallyhook announcements`. */
export const announcementsCommand = command({
  help,
  options: { listing: { type: 'string' }, json: { type: 'boolean', default: false } },
  allowPositionals: true,
  actions: ['preview'],
  async run({ values, positionals }, terminal) {
    const [action = '', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
    if (action !== 'preview') {
      const message = action === '' ? 'Specify what to do: preview.' : `Unknown action "${action}".`;
      throw new UsageError(withSuggestion(message, action, ['preview']));
    }
    const { listing: wanted, json } = values;
    const listings = previewListings(loadConfig(process.env).listings, systemClock.now());
    const names = listings.map(({ listing }) => listing);
    if (wanted !== undefined && !names.includes(wanted)) {
      throw new UsageError(withSuggestion(`There is no listing "${wanted}".`, wanted, names));
    }
    const all = listings.filter(({ listing }) => wanted === undefined || listing === wanted);
    if (json) terminal.print(JSON.stringify(all, null, 2));
    else {
      const texts = all.map(({ listing, mode, previews }) =>
        [`Listing ${listing} (mode: ${mode})`, ...previews.flatMap((each) => ['', ...formatPreview(each)])].join('\n'),
      );
      terminal.print(texts.join('\n\n'));
    }
    return exitCode.ok;
  },
});
