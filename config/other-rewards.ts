import { hour } from '@tallyhook/platform/durations';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { type SettingSpec, valueAt } from '../src/core/settings/setting-spec.ts';
import { timeZone } from '../src/core/settings/value-schemas.ts';
import { settings } from '../src/features/settings.ts';
import { rewards } from './listings-file.ts';
import { parseJsonFile } from './parse-json-file.ts';
import type { ListingConfig } from './schema.ts';
import { rewardsOf, rulesOf } from './to-listings.ts';

const otherRewards = rewards.extend({ timeZone: timeZone.optional() });

/** Which listings get the rewards of a file. */
export interface OtherRewards {
  /** Path of a JSON file with the content of `rewards` of a listing, and optionally `timeZone`. */
  readonly path: string;
  /** Name of the only listing that gets them; null for all. */
  readonly listing: string | null;
}

/**
 * The listings with the rewards of a file in place of their own. Credits per vote and premium that the file leaves out
 * stay as they are; any other rule that it leaves out is off. The party and the time zone are those of the community.
 * @throws InvalidConfigError with all issues of the file
 */
export function withOtherRewards(
  listings: readonly ListingConfig[],
  { path, listing: name }: OtherRewards,
): ListingConfig[] {
  const issues: ConfigIssue[] = [];
  const formatHint = 'It must have the format of `rewards` of a listing, see docs/configuration.md.';
  const file = parseJsonFile({ path, setting: '--rules', formatHint }, otherRewards, issues);
  if (file === undefined) throw new InvalidConfigError(issues);
  const { timeZone: zone, ...rules } = file;
  const sharedSpecs = settings.filter(({ isShared }: SettingSpec) => isShared);
  // What is in effect of these rules is the same in the file.
  const sharedRulesOf = (listing: ListingConfig) =>
    rulesOf(({ path, inFile }) => valueAt({ rewards: rules }, path) ?? inFile(listing), sharedSpecs);
  return listings.map((listing) => {
    const { guildId, rewards: current } = listing;
    const shared = { ...listing, timeZone: zone ?? listing.timeZone };
    const sharedRules = name === null ? {} : sharedRulesOf(listing);
    if (name !== null && listing.name !== name) return { ...shared, rewards: { ...current, ...sharedRules } };
    const { perVote, perPremium, whenDenied, cooldownMs } = current.base;
    const { site } = listing;
    const own = {
      rewards: { vote: perVote, premium: perPremium, whenDenied, ...rules },
      cooldownHours: cooldownMs / hour,
      ...(site && { site: site.id, custom: site.custom }),
    };
    return { ...shared, rewards: { ...rewardsOf({}, own, guildId), ...sharedRules } };
  });
}
