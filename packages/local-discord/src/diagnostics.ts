import { channel } from 'node:diagnostics_channel';

/** A recorded REST request. Tokens of the bot and of interactions are removed. */
export interface RecordedRequest {
  /** When it came (ms since the epoch, by the state's clock). */
  readonly at: number;
  readonly method: string;
  /** The path without `/api/v10` and without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** 0 if the connection was closed without a response. */
  readonly status: number;
}

/** A request and its JSON response; undefined without a response body. */
export interface HttpExchange extends RecordedRequest {
  readonly response: unknown;
}

/**
 * Diagnostics channels of every local Discord in this process: HTTP exchanges ({@link HttpExchange}), gateway dispatches
 * (`SentDispatch`), and new or changed messages (`Message`). Tests validate them against Discord's OpenAPI document. Publishing has no
 * cost without subscribers.
 */
export const httpExchanges = channel('local-discord:exchange');
export const sentDispatches = channel('local-discord:dispatch');
export const storedMessages = channel('local-discord:message');

/** The path without an interaction's token, which grants access for 15 minutes. */
export function withoutToken(path: string): string {
  return path.replace(/^(\/(?:interactions|webhooks)\/\d+)\/[^/]+/, '$1/{token}');
}

/** The headers without credentials. */
export function visibleHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name !== 'authorization' && name !== 'cookie');
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
