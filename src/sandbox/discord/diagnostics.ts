import { channel } from 'node:diagnostics_channel';
import type { RecordedRequest } from './requests.ts';

/** A request and the JSON that it was answered with; undefined where there was none. */
export interface HttpExchange extends RecordedRequest {
  readonly response: unknown;
}

/**
 * Where every local Discord of this process tells of its exchanges ({@link HttpExchange}), of its dispatches (`SentDispatch`) and of its
 * messages (`Message`), new or changed, for those who check them against Discord's own description. It costs nothing while nobody listens.
 */
export const httpExchanges = channel('tallyhook:local-discord:exchange');
export const sentDispatches = channel('tallyhook:local-discord:dispatch');
export const storedMessages = channel('tallyhook:local-discord:message');
