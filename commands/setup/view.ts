import type { Standings } from '../../src/core/ledger/standing.ts';
import type { CommandInput } from '../../src/discord/commands/input.ts';
import type { OptionValue, PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import { isCommunityPath, type SettingPath } from '../../src/features/settings.ts';
import type {
  CommunitySettings,
  EffectiveValue,
  ListingSettings,
  SettingsAuthor,
} from '../../src/features/setup/community.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { escapeName, joined, type Markup } from '../../src/texts/markup.ts';
import type { Texts } from '../../src/texts/texts.ts';
import type { SetupServices } from '../setup-services.ts';

/** Who uses `/setup` where, and what is in effect there. */
export interface SetupView {
  readonly input: CommandInput;
  readonly clock: Clock;
  readonly services: SetupServices;
  readonly texts: Texts;
  readonly guildId: string;
  readonly community: CommunitySettings;
  /** The names of the community's listings on the service, by their configured names, as far as they are known. */
  readonly listingNames: ReadonlyMap<string, string>;
  readonly standings: Pick<Standings, 'leaderboard'>;
  /** The selected listing, or the first one; null without listings. */
  readonly listing: ListingSettings | null;
}

export const maxNameLength = 80;
const unset: EffectiveValue = { value: null, source: 'default' };

/** Reads the settings again. A listing that the input names, but that is not of this guild, is not selected. */
export async function openView(
  input: CommandInput,
  { clock, texts, services, standings }: Pick<SetupView, 'clock' | 'texts' | 'services' | 'standings'>,
  guildId: string,
): Promise<SetupView> {
  const { community, listingNames } = await readCommunity(services, guildId);
  const name = input.action === 'listing' ? input.values[0] : input.options['l'];
  const [first = null] = community.listings;
  const listing = community.listings.find((each) => each.name === name) ?? first;
  return { input, clock, services, standings, texts, guildId, community, listingNames, listing };
}

/** After a change. */
export async function refreshed(view: SetupView): Promise<SetupView> {
  const { community, listingNames } = await readCommunity(view.services, view.guildId);
  const listing = community.listings.find(({ name }) => name === view.listing?.name) ?? community.listings[0] ?? null;
  return { ...view, community, listingNames, listing };
}

async function readCommunity(
  { settings, checks }: SetupServices,
  guildId: string,
): Promise<Pick<SetupView, 'community' | 'listingNames'>> {
  const community = await settings.read(guildId);
  return { community, listingNames: await checks.listingNames(community.listings.map(({ name }) => name)) };
}

/** Whether the listing that a component names is linked here. Forged and outdated ones are not. */
export function namesListing({ input, listing }: SetupView): boolean {
  return listing !== null && listing.name === input.options['l'];
}

/** The value in effect, with its source. */
export function effectiveValue({ community, listing }: SetupView, path: SettingPath): EffectiveValue {
  if (isCommunityPath(path)) return community.values[path] ?? unset;
  return listing?.values[path] ?? unset;
}

export function authorOf({ input, guildId }: SetupView): SettingsAuthor {
  return { guildId, authorId: input.userId, interactionId: input.interactionId };
}

/** The name of a listing as the service shows it, or else the configured one. External text. */
export function displayName({ listingNames }: Pick<SetupView, 'listingNames'>, name: string): string {
  return listingNames.get(name) ?? name;
}

export function listingTitle(view: Pick<SetupView, 'listingNames' | 'texts'>, { name, kind }: ListingSettings): string {
  return `${displayName(view, name).slice(0, maxNameLength)} (${view.texts.listing.kinds[kind]})`;
}

/** A button that stays in the same message. */
export function button(
  label: string,
  action: string,
  options: Readonly<Record<string, OptionValue>> = {},
  style: 'primary' | 'secondary' | 'success' | 'danger' = 'secondary',
): ReplyButton {
  return { kind: 'action', label, action, options, style };
}

/** The options of a component that name the selected listing. */
export function listingOptions({ listing }: Pick<SetupView, 'listing'>): Readonly<Record<string, OptionValue>> {
  return listing === null ? {} : { l: listing.name };
}

export const textBlock = (text: Markup): PanelBlock => ({ kind: 'text', text });
export const buttonBlock = (...buttons: readonly ReplyButton[]): PanelBlock => ({ kind: 'buttons', buttons });

export function names(list: readonly string[]): Markup {
  return joined(
    list.map((name) => escapeName(name, maxNameLength)),
    ', ',
  );
}

export function escapedName(name: string): Markup {
  return escapeName(name, maxNameLength);
}
