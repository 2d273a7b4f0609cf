import type { UploadedFile } from './body.ts';
import { fieldError } from './errors.ts';
import type { RateLimitBucket } from './rate-limits.ts';

/** The names of the ids in a path such as `/channels/:channelId/messages`. */
type IdsIn<Path extends string> = Path extends `${string}:${infer Id}/${infer Rest}`
  ? Id | IdsIn<`/${Rest}`>
  : Path extends `${string}:${infer Id}`
    ? Id
    : never;

/** What was asked, already read and taken apart. */
export interface RouteRequest<Id extends string = string> {
  readonly ids: Readonly<Record<Id, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

export interface RouteResponse {
  readonly status: number;
  /** JSON; none for a 204. */
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  /** Interactions are answered with their own token; all else needs the bot's, and counts against its global limit. */
  readonly needsBot: boolean;
  readonly limit: RateLimitBucket | undefined;
  readonly handle: (call: RouteRequest<never>) => RouteResponse | Promise<RouteResponse>;
}

/** One endpoint. Its handler is given exactly the ids that stand in its path. */
export function route<const Path extends string>(
  method: string,
  path: Path,
  handle: (call: RouteRequest<IdsIn<Path>>) => RouteResponse | Promise<RouteResponse>,
  options: { needsBot?: boolean; limit?: RateLimitBucket } = {},
): Route {
  return { method, path, needsBot: options.needsBot ?? true, limit: options.limit, handle: handle as Route['handle'] };
}

export const ok = (body: unknown): RouteResponse => ({ status: 200, body });
export const noContent: RouteResponse = { status: 204 };

interface Match {
  readonly route: Route;
  readonly ids: Readonly<Record<string, string>>;
}

/** Finds the endpoint of a path; a path that exists only for other methods is told apart from one that does not exist. */
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

/** @throws DiscordRefusal where an id in the path is no snowflake; `@original` stands for a message. */
export function checkIds(ids: Match['ids']): void {
  for (const [name, id] of Object.entries(ids)) {
    if (name === 'token' || id === '@original' || /^\d{1,20}$/.test(id)) continue;
    const field = name.replace('Id', '_id');
    throw fieldError([field], 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`);
  }
}

/** The text without its percent signs; as it is where they make no sense. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
