import { CDN } from '@discordjs/rest';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { GuildReader } from './guild-reader.ts';

/** A small picture, of at most 32 KiB. */
export interface SmallPicture {
  readonly type: keyof typeof beginnings;
  readonly bytes: Buffer;
}

/** Pictures of members and guilds; null without one, and while Discord does not serve it. Never rejects. */
export interface Pictures {
  ofMember(guildId: string, userId: string): Promise<SmallPicture | null>;
  ofGuild(guildId: string): Promise<SmallPicture | null>;
}

/** `size` in pixels, twice as in pages. Nothing behind it shows through a JPEG. */
const image = { size: 64, extension: 'jpg', forceStatic: true } as const;
/** The size of pictures beside a message. */
const largerImage = { ...image, size: 128 } as const;
const maxBytes = 32 * 1024;
/** Most pictures in memory: 8 MB if all have the largest size. */
const maxKept = 256;
/** A new picture has another address. */
const lifetimeMs = hour;
/** How long a picture is not requested again that was not served (ms). */
const retryAfterMs = minute;
const timeoutMs = 3 * second;
/** The first bytes by type. A local Discord serves what it was given. */
const beginnings = { 'image/jpeg': Buffer.from('ffd8ff', 'hex'), 'image/png': Buffer.from('89504e47', 'hex') } as const;
const types = ['image/jpeg', 'image/png'] as const;
const loopback = /^https?:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/;

/**
 * Reads pictures from Discord's CDN and keeps some of them in memory. Their addresses are made of ids and hashes that
 * Discord's API has said, never of what a request contains.
 * @param options.apiUrl a local Discord serves pictures itself
 */
export function createPictures({
  reader,
  apiUrl,
  clock,
  log,
}: {
  readonly reader: Pick<GuildReader, 'guild' | 'avatar'>;
  readonly apiUrl: string;
  /** For the age of pictures. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}): Pictures {
  const { origin } = new URL(apiUrl);
  const cdn = loopback.test(origin) ? new CDN(origin) : new CDN();
  const kept = new BoundedMap<{ readonly until: number; readonly picture: Promise<SmallPicture | null> }>(maxKept);

  async function load(url: string): Promise<SmallPicture | null> {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    const type = types.find((each) => response.headers.get('content-type') === each);
    if (!response.ok || type === undefined) {
      await response.body?.cancel();
      return null;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) return null;
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    return bytes.indexOf(beginnings[type]) === 0 ? { type, bytes } : null;
  }

  function read(url: string): Promise<SmallPicture | null> {
    const known = kept.get(url);
    if (known !== undefined && clock.monotonic() < known.until) return known.picture;
    const picture = load(url).catch((error: unknown) => {
      log.debug({ url, reason: messageOf(error) }, 'a picture could not be read');
      return null;
    });
    kept.set(url, { until: clock.monotonic() + retryAfterMs, picture });
    return picture.then((loaded) => {
      if (loaded !== null) kept.set(url, { until: clock.monotonic() + lifetimeMs, picture });
      return loaded;
    });
  }

  return {
    async ofMember(guildId, userId) {
      const avatar = await reader.avatar(guildId, userId).catch(() => null);
      if (avatar === null) return null;
      const { hash, isOfGuild } = avatar;
      return read(isOfGuild ? cdn.guildMemberAvatar(guildId, userId, hash, image) : cdn.avatar(userId, hash, image));
    },
    async ofGuild(guildId) {
      const guild = await reader.guild(guildId).catch(() => null);
      return guild?.icon ? read(cdn.icon(guildId, guild.icon, largerImage)) : null;
    },
  };
}
