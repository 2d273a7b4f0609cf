import { subscribe } from 'node:diagnostics_channel';
import type { SentDispatch } from '../src/connection.ts';
import { type HttpExchange, httpExchanges, sentDispatches, storedMessages } from '../src/diagnostics.ts';

/** What went to and came from the local Discord. Collected once per process, which runs many test files. */
let exchanges: HttpExchange[] = [];
let dispatches: SentDispatch[] = [];
let messages: unknown[] = [];
subscribe(httpExchanges.name, (exchange) => exchanges.push(exchange as HttpExchange));
subscribe(sentDispatches.name, (dispatch) => dispatches.push(dispatch as SentDispatch));
subscribe(storedMessages.name, (message) => messages.push(message));

/** Returns the traffic since the last call. */
export function takeTraffic() {
  const taken = { exchanges, dispatches, messages };
  exchanges = [];
  dispatches = [];
  messages = [];
  return taken;
}
