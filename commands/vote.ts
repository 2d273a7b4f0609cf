import { integerOption, offersAt, pageButtons } from '../src/discord/commands/command.ts';
import { voteButtons } from '../src/discord/commands/listing-page.ts';
import type { Panel, PanelBlock } from '../src/discord/commands/reply.ts';
import { chanceText, readChances, type VotableListing, withPages } from './canvote.ts';
import type { Command, CommandContext } from './context.ts';

/** Each listing takes three of the 40 components of a message. */
const listingsPerPage = 10;

/** All listings, with a link each: those for which the member can vote now, then perhaps, then later. */
export const vote = {
  name: 'vote',
  visibility: 'private',
  hasPages: true,
  actions: ['list'],
  offers: [{ place: 'listings', action: 'list', label: ({ text }) => text('canVote.voteButton') }],
  availability: 'everywhere',
  isServedBy: (listings) => listings.length > 0,
  describe: ({ texts }) => ({ description: texts.text('canVote.listDescription'), options: [] }),
  async execute(input, context) {
    const all = await readChances(context.listings, { voter: input.userId, isOwn: true }, context);
    const pages = Math.ceil(all.length / listingsPerPage);
    const number = integerOption(input, 'page', { min: 1, max: pages, fallback: 1 });
    const shown = all.slice((number - 1) * listingsPerPage, number * listingsPerPage);
    const listed = await withPages(shown, context);
    const { texts, commands } = context;
    const isNow = all.some(({ chance }) => chance.when === 'now');
    const isLater = all.every(({ chance }) => chance.when === 'later');
    const turn = pages > 1 ? pageButtons('leaderboard', texts, { number, pages }, {}) : [];
    return {
      kind: 'panel',
      tone: isNow ? 'good' : isLater ? 'wait' : 'plain',
      ...(isNow
        ? { title: texts.text('canVote.titleNow') }
        : isLater
          ? { title: texts.text('canVote.titleLater') }
          : {}),
      blocks: [
        ...listed.map((each) => rowOf(each, context)),
        { kind: 'buttons', buttons: [...turn, ...(isNow ? [] : offersAt('vote', commands, texts))] },
      ],
      ...(pages > 1 ? { footer: texts.text('parts.page', { number, of: pages }) } : {}),
    } satisfies Panel;
  },
} as const satisfies Command;

function rowOf(listing: VotableListing, { texts }: CommandContext): PanelBlock {
  const text = chanceText(null, listing, texts);
  const [button] = voteButtons(listing.page, texts);
  return button === undefined ? { kind: 'text', text } : { kind: 'section', text, button };
}
