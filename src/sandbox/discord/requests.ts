/** A request that reached this Discord, and what it was answered. No token is kept, neither the bot's nor an interaction's. */
export interface RecordedRequest {
  /** When it came (ms since the epoch, by the state's clock). */
  readonly at: number;
  readonly method: string;
  /** Without `/api/v10` and without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** 0 where the connection was cut instead of an answer. */
  readonly status: number;
}

/** The path with an interaction's token, which is as good as a password for 15 minutes, cut out. */
export function withoutToken(path: string): string {
  return path.replace(/^(\/(?:interactions|webhooks)\/\d+)\/[^/]+/, '$1/{token}');
}

/** The headers that may be looked at. */
export function visibleHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name !== 'authorization' && name !== 'cookie');
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
