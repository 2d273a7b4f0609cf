import type { Markup } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { InputError } from '../src/discord/commands/input.ts';
import { findListingPage } from '../src/discord/commands/listing-page.ts';
import type { OptionValue, Panel } from '../src/discord/commands/reply.ts';
import type { CoveredCommunity } from '../src/features/communities/listings.ts';
import type { CommandContext } from './context.ts';

/** Discord: "Select Menu". */
const maxChoices = 25;
/** Of a choice; longer names are truncated (characters). */
const maxLabelLength = 100;

/** The community that a command with one account is about. */
export interface ChosenCommunity {
  /** Null if the program has only one. */
  readonly community: CoveredCommunity | null;
  /** For the components of the reply, so that they are about the same community. */
  readonly options: Readonly<Record<string, OptionValue>>;
}

/**
 * The community that the member has chosen, or the only one; null if one must be chosen ({@link communityChoice}).
 * @param id the option `community`; undefined if none was chosen
 * @throws InputError if it is not one of the communities that the command covers
 */
export function chosenCommunity(
  id: OptionValue | undefined,
  { communities, texts }: Pick<CommandContext, 'communities' | 'texts'>,
): ChosenCommunity | null {
  const covered = communities ?? [];
  if (id === undefined) return covered.length > 1 ? null : { community: covered[0] ?? null, options: {} };
  const community = covered.find((each) => each.id === id);
  if (community === undefined) throw new InputError(texts.text('failure.unknownButton'));
  return { community, options: covered.length > 1 ? { community: community.id } : {} };
}

/**
 * Lets the member choose one of the first 25 communities, by the action `community`, whose value is the option of
 * {@link chosenCommunity}.
 */
export async function communityChoice(
  { title, options = {} }: { readonly title: Markup; readonly options?: Readonly<Record<string, OptionValue>> },
  context: CommandContext,
): Promise<Panel> {
  const offered = (context.communities ?? []).slice(0, maxChoices);
  const choices = await Promise.all(
    offered.map(async (community) => ({ label: await plainTitleOf(community, context), value: community.id })),
  );
  return {
    kind: 'panel',
    tone: 'plain',
    title,
    blocks: [
      { kind: 'text', text: context.texts.text('listing.severalCommunities') },
      { kind: 'select', select: { kind: 'choices', action: 'community', options, choices } },
    ],
    response: 'update',
  };
}

/** The names of its listings. */
async function plainTitleOf({ rules, listings }: CoveredCommunity, context: CommandContext): Promise<string> {
  const names = await Promise.all(
    rules.map(async ({ name }) => (await findListingPage(name, { ...context, listings })).plainName),
  );
  return plainName(context.texts.list(names), maxLabelLength);
}
