import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { objectOf, parseJson } from '@tallyhook/platform/json';
import { createQuote, type Quote, retryTime } from '../error-response.ts';
import { getText, type TextResponse } from '../get-text.ts';
import type { Http } from '../http.ts';
import { LookupError } from '../lookup-error.ts';
import type { SiteApi } from './site-api.ts';

export interface SiteRequest {
  readonly url: string;
  /** In messages, without IDs and query: `GET api.voidbots.net/bot/voted/{id}/{user}`. */
  readonly name: string;
}

type SiteHttp = Http<SiteRequest, SiteResponse>;

/** JSON; undefined for the status 404 of an API by which it is a response. */
export type SiteResponse = unknown;

/** @param options.apiUrl replaces the origin of every request; path and query stay */
export function createSiteHttp(
  api: SiteApi,
  options: { readonly key: string | null; readonly apiUrl: string | null; readonly clock: Clock },
): SiteHttp {
  const { key, apiUrl, clock } = options;
  const isPublic = key === null || api.authorization === null;
  const headers: Record<string, string> = isPublic ? {} : { Authorization: `${api.authorization}${key}` };
  const quote = createQuote(key);

  return {
    async get({ url, name }, deadline, signal) {
      const { pathname, search } = new URL(url);
      const address = apiUrl === null ? url : new URL(pathname + search, apiUrl).href;
      const response = await getText({ url: address, headers, name, deadline, signal, clock });
      const json = parseJson(response.body);
      // A page comes from a server in front of the site.
      const isFromSite = json !== undefined || response.body === '';
      if (api.notFoundCoversMs !== undefined && response.status === 404 && isFromSite) return undefined;
      if (!response.ok) throw errorOfSite(name, response, json, quote, { api, now: clock.now() });
      if (json !== undefined) return json;
      throw new LookupError('lookup_not_json', `${name}: the response is not JSON: ${quote(response.body)}`, {
        hint: 'Check that no proxy responds in place of the site.',
      });
    },
  };
}

const codes: Readonly<Record<number, LookupErrorCode>> = {
  400: 'lookup_bad_request',
  401: 'lookup_key_refused',
  403: 'lookup_key_refused',
  404: 'lookup_not_found',
  429: 'lookup_rate_limited',
};

const hints: Partial<Record<LookupErrorCode, string>> = {
  lookup_bad_request:
    'The API of the site may have changed. Look for a newer version of tallyhook, or report this message.',
  lookup_key_refused: 'Copy the API token of the listing from the site again, and set it as its siteKey.',
  lookup_not_found: 'Check the ID of the listing, and that the site lists it.',
  lookup_rate_limited: 'Another program uses the same API token. Stop it, or give it its own one.',
  lookup_unexpected_status: 'The API of the site may have moved. Look for a newer version of tallyhook.',
};

function errorOfSite(
  name: string,
  { status, retryAfter, body }: TextResponse,
  json: unknown,
  quote: Quote,
  { api, now }: { readonly api: SiteApi; readonly now: number },
): LookupError {
  const code = codes[status] ?? (status >= 500 ? 'lookup_service_error' : 'lookup_unexpected_status');
  const message = `${name}: the site responded with ${status}: ${quote(body)}`;
  // top.gg writes it into the body.
  const seconds = objectOf(json)['retry-after'];
  const retryAt = retryTime(retryAfter ?? (typeof seconds === 'number' ? String(seconds) : null), now);
  const limitedUntil = code === 'lookup_rate_limited' ? now + (api.blockMs ?? minute) : null;
  const hint = hints[code];
  return new LookupError(code, message, {
    status,
    retryAt: retryAt ?? limitedUntil,
    ...(hint !== undefined && { hint }),
  });
}
