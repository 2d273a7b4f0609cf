import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { NamesInDiscord } from '../../discord/names-in-discord.ts';
import type { LookupClient } from '../../lookup/lookup.ts';
import type { BotProfile, ServerProfile } from '../../lookup/schemas.ts';

/** What a listing can be called after. */
export interface NamedListing {
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null if it is not configured. */
  readonly id: string | null;
  /** As it is configured; null otherwise. */
  readonly title: string | null;
  /** The name of the other site that it is on; null for the document's service. */
  readonly siteName: string | null;
  /** The name on its site, as far as the API has told it; null otherwise. */
  readonly told: () => string | null;
}

/** How long a name in Discord that was never requested before is waited for (ms). */
const timeoutMs = second / 2;

/**
 * What people call listings, as far as it is known now: the configured title, else the name on the site, else the name in
 * Discord, else that of the site. A name in Discord that is not known is requested, for the next time.
 */
export function createListingNames(inDiscord: NamesInDiscord, stopwatch: Clock) {
  function nameOf(listing: NamedListing): string | null {
    const { title, siteName, kind, id, told } = listing;
    return title ?? told() ?? (id === null ? null : inDiscord.known(kind, id)) ?? siteName;
  }

  return {
    /**
     * With the site beside it if another listing of the community has the same name; with the id where only the site is
     * known of both. Null if nothing but the configured name is known.
     */
    of(listing: NamedListing, community: readonly NamedListing[]): string | null {
      const name = nameOf(listing);
      const { siteName, id } = listing;
      const isShared = community.some((other) => !isSame(other, listing) && nameOf(other) === name);
      if (name === null || siteName === null || !isShared) return name;
      const mark = name === siteName ? id : siteName;
      return mark === null ? name : `${name} (${mark})`;
    },
    /** Waits for a moment until Discord has said the name, if nothing better is known. Never rejects. */
    async find({ title, told, kind, id }: NamedListing): Promise<void> {
      if (title !== null || told() !== null || id === null || inDiscord.known(kind, id) !== null) return;
      await settleWithin(timeoutMs, stopwatch, inDiscord.find(kind, id));
    },
  };
}

export type ListingNames = ReturnType<typeof createListingNames>;

/** One server or bot that is linked twice is one listing to members. */
function isSame(one: NamedListing, other: NamedListing): boolean {
  return one === other || (one.kind === other.kind && one.id === other.id && one.siteName === other.siteName);
}

type Profile = ServerProfile | BotProfile;

/**
 * The same client, whose profile is called what people call the listing, so that everything that shows it does.
 * @param options.note is told the name on the site
 * @param options.find waits until the display name is known
 * @param options.displayName null if the client knows best
 */
export function withDisplayName(
  lookup: LookupClient,
  options: {
    readonly note: (name: string) => void;
    readonly find: () => Promise<void>;
    readonly displayName: () => string | null;
  },
): LookupClient {
  const { note, find, displayName } = options;
  let latest: { readonly profile: Profile; readonly renamed: Profile } | null = null;

  /** The same object for the same profile, because replies are rendered once for each. */
  function rename(profile: Profile): Profile {
    if (profile.name !== '') note(profile.name);
    const name = displayName();
    if (name === null || name === profile.name) return profile;
    if (latest?.profile !== profile || latest.renamed.name !== name)
      latest = { profile, renamed: { ...profile, name } };
    return latest.renamed;
  }

  return {
    ...lookup,
    async profile(query) {
      const cached = await lookup.profile(query);
      if (cached.value.name === '') await find();
      const value = rename(cached.value);
      return value === cached.value ? cached : { ...cached, value };
    },
    cached: {
      ...lookup.cached,
      async profile() {
        const profile = await lookup.cached.profile();
        return profile && rename(profile);
      },
    },
  };
}
