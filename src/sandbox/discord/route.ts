import { snowflakePattern } from '../../platform/snowflake.ts';
import type { UploadedFile } from './body.ts';
import { fieldError } from './errors.ts';
import type { Locale } from './locales.ts';
import type { RateLimitBucket } from './rate-limits.ts';

/** The names of the ids in a path such as `/channels/:channelId/messages`. */
type IdsIn<Path extends string> = Path extends `${string}:${infer Id}/${infer Rest}`
  ? Id | IdsIn<`/${Rest}`>
  : Path extends `${string}:${infer Id}`
    ? Id
    : never;

/** A parsed request. */
export interface RouteRequest<Id extends string = string> {
  readonly ids: Readonly<Record<Id, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
  readonly locale: Locale;
  /** The header. */
  readonly authorization: string | undefined;
}

export interface RouteResponse {
  readonly status: number;
  /** JSON; none for a 204. */
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  /** Whether the route needs the bot's token and counts toward its global limit. Interaction callbacks use their own token. */
  readonly needsBot: boolean;
  /** Whether it can also be used with a member's token, which the route itself checks. */
  readonly acceptsMember: boolean;
  readonly limit: RateLimitBucket | undefined;
  readonly handle: (call: RouteRequest<never>) => RouteResponse | Promise<RouteResponse>;
}

/** Declares endpoints with the same options. The handler of each receives exactly the ids in its path. */
export function routeWith({ needsBot = true, acceptsMember = false, limit }: Partial<Omit<Route, 'handle'>>) {
  return <const Path extends string>(
    method: string,
    path: Path,
    handle: (call: RouteRequest<IdsIn<Path>>) => RouteResponse | Promise<RouteResponse>,
  ): Route => ({ method, path, needsBot, acceptsMember, limit, handle: handle as Route['handle'] });
}

export const route = routeWith({});

export const ok = (body: unknown): RouteResponse => ({ status: 200, body });
export const noContent: RouteResponse = { status: 204 };

interface Match {
  readonly route: Route;
  readonly ids: Readonly<Record<string, string>>;
}

/** Finds the endpoint for a request; `other_method` if the path exists for other methods only. */
export function createRouteMatcher(
  routes: readonly Route[],
): (method: string, path: string) => Match | 'other_method' | undefined {
  const patterns = routes.map((each) => ({
    route: each,
    pattern: new RegExp(`^${each.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
  }));
  return (method, path) => {
    const candidates = patterns.filter(({ pattern }) => pattern.test(path));
    const match = candidates.find((each) => each.route.method === method);
    if (match === undefined) return candidates.length === 0 ? undefined : 'other_method';
    const encoded = Object.entries(match.pattern.exec(path)?.groups ?? {});
    return { route: match.route, ids: Object.fromEntries(encoded.map(([id, text]) => [id, decodePath(text)])) };
  };
}

/** @throws DiscordApiError if an id in the path is not a snowflake; `@original` is a valid message id */
export function checkIds(ids: Match['ids']): void {
  for (const [name, id] of Object.entries(ids)) {
    if (name === 'token' || id === '@original' || snowflakePattern.test(id)) continue;
    const field = name.replace('Id', '_id');
    throw fieldError([field], 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`);
  }
}

/** The percent-decoded text, or the text itself if its encoding is malformed. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
