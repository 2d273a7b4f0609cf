import { subscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach } from 'vitest';
import {
  type HttpExchange,
  httpExchanges,
  sentDispatches,
  storedMessages,
} from '../../src/sandbox/discord/diagnostics.ts';
import type { SentDispatch } from '../../src/sandbox/discord/session.ts';

watch();

/**
 * Validates all traffic to and from the local Discord against Discord's OpenAPI document, and fails the test on errors.
 * Errors after the last test of a file fail the file.
 */
function watch(): void {
  const exchanges: HttpExchange[] = [];
  const dispatches: SentDispatch[] = [];
  const messages: unknown[] = [];
  subscribe(httpExchanges.name, (exchange) => exchanges.push(exchange as HttpExchange));
  subscribe(sentDispatches.name, (dispatch) => dispatches.push(dispatch as SentDispatch));
  subscribe(storedMessages.name, (message) => messages.push(message));
  const check = async () => {
    if (exchanges.length + dispatches.length + messages.length === 0) return;
    // Imported on demand: the document loads slowly, and most tests do not use Discord.
    const {
      validateExchange: faultsOfExchange,
      validateDispatch: faultsOfDispatch,
      validateMessage: faultsOfMessage,
    } = await import('./discord-validation.ts');
    const errors = [
      ...exchanges.splice(0).flatMap(faultsOfExchange),
      ...dispatches.splice(0).flatMap(faultsOfDispatch),
      ...messages.splice(0).flatMap(faultsOfMessage),
    ];
    if (errors.length > 0)
      throw new Error(`Traffic violates Discord's OpenAPI document:\n${[...new Set(errors)].join('\n')}`);
  };
  afterEach(check);
  afterAll(check);
}
