import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { getText } from '../../lookup/get-text.ts';
import { LookupError } from '../../lookup/lookup-error.ts';

const timeoutMs = 5 * second;
/** The length of the longest file (bytes). */
const maxBytes = 256 * 1024;

/** Where Discord serves what members upload. */
const hosts = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

/**
 * Reads the texts that members upload in forms from Discord, and from nowhere else. Neither a text, which can contain
 * keys, nor an address, with which anybody can read it, is logged.
 * @param options.apiUrl a local Discord serves the files itself
 */
export function createUploads({ apiUrl, stopwatch, log }: { apiUrl: string; stopwatch: Clock; log: Log }) {
  const origins = URL.canParse(apiUrl) ? [...hosts, new URL(apiUrl).origin] : hosts;
  return async ({ size, url }: { readonly size: number; readonly url: string }): Promise<string | null> => {
    if (size > maxBytes || !URL.canParse(url) || !origins.includes(new URL(url).origin)) return null;
    const request = { url, headers: {}, name: 'the upload of a file', clock: stopwatch };
    try {
      const { ok, body } = await getText({ ...request, deadline: stopwatch.monotonic() + timeoutMs });
      // What is not UTF-8 is decoded with this sign.
      return ok && body.length <= maxBytes && !body.includes('\uFFFD') ? body : null;
    } catch (error) {
      if (!(error instanceof LookupError)) throw error;
      log.warn({ code: error.code, reason: error.message }, 'an uploaded file could not be read');
      return null;
    }
  };
}
