import type { Clock } from '@tallyhook/platform/clock';
import { escapeName, type Markup } from '@tallyhook/platform/texts/markup';
import { type EffectiveValue, unset } from '../../config/describe.ts';
import type { Standings } from '../../src/core/ledger/standing.ts';
import { showLink } from '../../src/core/settings/listing-settings.ts';
import { showValue } from '../../src/core/settings/setting-spec.ts';
import { linkPath } from '../../src/core/settings/stored-settings.ts';
import type { CommandInput } from '../../src/discord/commands/input.ts';
import type { OptionValue, PanelBlock, ReplyButton, ReplySelect } from '../../src/discord/commands/reply.ts';
import type {
  CommunitySettings,
  ListingSettings,
  SettingsAuthor,
  SettingsEdit,
} from '../../src/features/settings/community.ts';
import type { SetupServices } from '../../src/features/settings/services.ts';
import { findSetting, isCommunityPath, isSecretPath, type SettingPath } from '../../src/features/settings.ts';
import type { TextIn, Texts } from '../../src/texts/texts.ts';
import type { Form } from './form.ts';

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

export interface ListingView extends SetupView {
  readonly listing: ListingSettings;
}

/** A part of `/setup`, by the key of its name in the texts. */
export type SectionId = TextIn<'setup.sections'>;

/** A form that is open, or was submitted. */
export interface Edit {
  readonly form: Form;
  readonly section: SectionId;
  /** The position in a list; null for a new entry, or without a list. */
  readonly entry: number | null;
  readonly variant: string | null;
}

const maxNameLength = 80;

/** Reads the settings again. A listing that the input names, but that is not of this guild, is not selected. */
export async function openView(
  input: CommandInput,
  { clock, texts, services, standings }: Pick<SetupView, 'clock' | 'texts' | 'services' | 'standings'>,
  guildId: string,
): Promise<SetupView> {
  const name = input.action === 'listing' ? input.values[0] : input.options['l'];
  return { input, clock, services, standings, texts, guildId, ...(await readCommunity(services, guildId, name)) };
}

/** After a change. */
export async function refreshed(view: SetupView): Promise<SetupView> {
  return { ...view, ...(await readCommunity(view.services, view.guildId, view.listing?.name)) };
}

async function readCommunity(
  { settings, checks }: SetupServices,
  guildId: string,
  selected: unknown,
): Promise<Pick<SetupView, 'community' | 'listingNames' | 'listing'>> {
  const community = await settings.read(guildId);
  const { listings } = community;
  const listing = listings.find(({ name }) => name === selected) ?? listings[0] ?? null;
  return { community, listingNames: await checks.listingNames(listings.map(({ name }) => name)), listing };
}

export function hasListing(view: SetupView): view is ListingView {
  return view.listing !== null;
}

/** True if the listing that a component names is linked here. Forged and outdated ones are not. */
export function namesListing(view: SetupView): view is ListingView {
  return view.listing !== null && view.listing.name === view.input.options['l'];
}

/** The value in effect, with its source. */
export function effectiveValue({ community, listing }: SetupView, path: SettingPath): EffectiveValue {
  return (isCommunityPath(path) ? community.values[path] : listing?.values[path]) ?? unset;
}

export function authorOf({ input, guildId }: SetupView): SettingsAuthor {
  return { guildId, authorId: input.userId, interactionId: input.interactionId };
}

/** The version of the settings that a form or button shows. Its id can be forged: by default, the present version. */
export function basisOf({ input, community }: SetupView): number {
  const version = Number(input.options['v'] ?? Number.NaN);
  return Number.isSafeInteger(version) ? version : community.version;
}

/** Changes of settings of the selected listing, or of the community if they are its own. */
export function toChanges(
  { listing }: SetupView,
  values: readonly (readonly [path: SettingPath, value: unknown])[],
): SettingsEdit['changes'] {
  return values.map(([path, value]) => ({
    listing: isCommunityPath(path) ? null : (listing?.name ?? null),
    path,
    value,
  }));
}

/** The name of a listing as the service shows it, or else the configured one. External text. */
export function displayName({ listingNames }: Pick<SetupView, 'listingNames'>, name: string): string {
  return listingNames.get(name) ?? name;
}

export function listingTitle(view: Pick<SetupView, 'listingNames' | 'texts'>, { name, kind }: ListingSettings): string {
  return `${displayName(view, name).slice(0, maxNameLength)} (${view.texts.text(`listing.kinds.${kind}`)})`;
}

/** The value of a setting in a line, by its path. @param listingName of the server or bot that is linked */
export function describeValue(path: string, value: unknown, texts: Texts, listingName?: string): Markup {
  const link = { show: (each: unknown) => showLink(each, texts, listingName) };
  return showValue(path === linkPath ? link : findSetting(path), value, texts);
}

/**
 * The name of a setting in the language of the member; the path itself, which may be imported, for one that is not
 * known.
 */
export function settingName(path: string, { text, has }: Texts): Markup {
  const [group = '', name = ''] = path.split('.', 2);
  if (group === 'rewards' && has('setup.names.rewards', name)) return text(`setup.names.rewards.${name}`);
  if (group === 'announcements' && has('setup.names.announcements', name))
    return text(`setup.names.announcements.${name}`);
  // A part of a setting has a name if it is secret: that in `shop.vip.codes`.
  const flatName = isSecretPath(path) ? (path.split('.').at(-1) ?? group) : group;
  return has('setup.names', flatName) ? text(`setup.names.${flatName}`) : escapedName(path);
}

type Options = Readonly<Record<string, OptionValue>>;

/** A button that stays in the same message. */
export function button(
  label: string,
  action: string,
  options: Options = {},
  style: 'primary' | 'secondary' | 'success' | 'danger' = 'secondary',
): ReplyButton {
  return { kind: 'action', label, action, options, style };
}

/** A button that leads to a page; none without one. */
export function linkButtons(label: string, url: string | null): readonly ReplyButton[] {
  return url === null ? [] : [{ kind: 'link', label, url }];
}

/** The options of a component that name the selected listing. */
export function listingOptions({ listing }: Pick<SetupView, 'listing'>): Options {
  return listing === null ? {} : { l: listing.name };
}

/** The options of a component that opens a form. */
export function editOptions(
  view: Pick<SetupView, 'listing'>,
  { name }: Form,
  { entry = null, variant = null }: Partial<Pick<Edit, 'entry' | 'variant'>> = {},
): Options {
  return {
    f: name,
    ...listingOptions(view),
    ...(entry === null ? {} : { e: entry }),
    ...(variant === null ? {} : { k: variant }),
  };
}

export const textBlock = (text: Markup): PanelBlock => ({ kind: 'text', text });
export const buttonBlock = (...buttons: readonly ReplyButton[]): PanelBlock => ({ kind: 'buttons', buttons });
export const selectBlock = (select: ReplySelect): PanelBlock => ({ kind: 'select', select });

export function escapedName(name: string): Markup {
  return escapeName(name, maxNameLength);
}
