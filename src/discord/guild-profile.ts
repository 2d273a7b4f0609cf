import { CDN, type DiscordAPIError } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { rejectionOf } from './discord-errors.ts';
import { fetchGuild, fetchMember, fetchUser } from './inspection.ts';
import type { DiscordRest } from './rest.ts';

/** Name, picture and banner of the bot in one guild; without a change, or with null, those that it has everywhere. */
export interface ProfileChanges {
  /** 1 to 32 characters. */
  readonly nick?: string | null;
  readonly avatar?: Picture | null;
  readonly banner?: Picture | null;
}

/** A picture as a data URI. */
export type Picture = `data:image/${'png' | 'jpeg' | 'gif' | 'webp'};base64,${string}`;

/** Why the profile is not changed; `rejected` with Discord's own reason, which is external text. */
export type ProfileProblem =
  | { readonly problem: 'no_permission' | 'unavailable' }
  | { readonly problem: 'rejected'; readonly reason: string };

/** The name of the bot in a guild; null without one of its own. */
export interface GuildProfile {
  readonly nick: string | null;
}

/** Discord accepts more; a picture of this length is good enough, and is read into memory (bytes). */
export const maxPictureBytes = 2 * 1024 * 1024;
const timeoutMs = 5 * second;
/** A form with the present name is opened within a second. */
const findTimeoutMs = 0.6 * second;
/** Discord shows half of it (pixels). */
const iconSize = 512;

/** Where Discord serves pictures and what members upload. */
const cdnUrl = 'https://cdn.discordapp.com';
const hosts = [cdnUrl, 'https://media.discordapp.net'];

/**
 * The profile of the bot in each guild (Discord: "Modify Current Member"): its messages there have this name and picture.
 * Discord stores it, so there is no other copy.
 * @param options.apiUrl a local Discord serves uploaded files itself
 */
export function createGuildProfiles({
  rest,
  apiUrl,
  clock,
  log,
  cdn = cdnUrl,
}: {
  readonly rest: DiscordRest;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly cdn?: string;
}) {
  const origins = [...hosts, new URL(cdn).origin, ...(URL.canParse(apiUrl) ? [new URL(apiUrl).origin] : [])];

  async function read(url: string): Promise<Picture | null> {
    if (!URL.canParse(url) || !origins.includes(new URL(url).origin)) return null;
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      if (!response.ok || Number(response.headers.get('content-length') ?? 0) > maxPictureBytes) return null;
      return pictureOf(new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a picture for the profile of the bot could not be read');
      return null;
    }
  }

  return {
    /** Null if Discord does not say in time. */
    async find(guildId: string): Promise<GuildProfile | null> {
      const found = (async () => {
        const { id } = await fetchUser(rest);
        const { nick } = await fetchMember(rest, guildId, id);
        return { nick };
      })();
      return (await settleWithin(findTimeoutMs, clock, found)) ?? null;
    },

    /** The picture of the guild; null without one. */
    async iconOf(guildId: string): Promise<Picture | null> {
      const icon = (await settleWithin(timeoutMs, clock, fetchGuild(rest, guildId)))?.icon;
      return icon
        ? read(new CDN(cdn).icon(guildId, icon, { size: iconSize, extension: 'png', forceStatic: true }))
        : null;
    },

    /** A picture that a member uploaded; null if it is none, too large, or cannot be read in time. */
    readPicture: async ({ size, url }: { readonly size: number; readonly url: string }): Promise<Picture | null> =>
      size > maxPictureBytes ? null : read(url),

    /** Null if it was changed. Everything at once, or nothing. */
    async change(guildId: string, changes: ProfileChanges): Promise<ProfileProblem | null> {
      try {
        await rest.patch(Routes.guildMember(guildId), changes);
        return null;
      } catch (error) {
        const rejection = rejectionOf(error);
        if (rejection === null) {
          log.warn({ guild: guildId, reason: messageOf(error) }, 'the profile of the bot could not be changed');
          return { problem: 'unavailable' };
        }
        return problemOf(rejection);
      }
    },
  };
}

export type GuildProfiles = ReturnType<typeof createGuildProfiles>;

function problemOf({ code, message }: DiscordAPIError): ProfileProblem {
  if (code === RESTJSONErrorCodes.MissingPermissions) return { problem: 'no_permission' };
  return { problem: 'rejected', reason: message };
}

/** The first bytes of each format. Of WebP, what follows the length of the file. */
const formats = [
  { type: 'png', offset: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'jpeg', offset: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'gif', offset: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: 'webp', offset: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
] as const;

/** Null if the bytes are of no format that Discord accepts, or too many. */
function pictureOf(bytes: Uint8Array): Picture | null {
  if (bytes.length > maxPictureBytes) return null;
  const format = formats.find(({ offset, bytes: first }) => first.every((byte, at) => bytes[offset + at] === byte));
  return format ? `data:image/${format.type};base64,${Buffer.from(bytes).toString('base64')}` : null;
}
