import { afterAll, afterEach } from 'vitest';
import { takeTraffic } from './discord-traffic.ts';

afterEach(validateTraffic);
afterAll(validateTraffic);

/**
 * Validates all traffic to and from the local Discord against Discord's OpenAPI document, and fails the test on errors.
 * Errors after the last test of a file fail the file.
 */
async function validateTraffic(): Promise<void> {
  const { exchanges, dispatches, messages } = takeTraffic();
  if (exchanges.length + dispatches.length + messages.length === 0) return;
  // Imported on demand: the document loads slowly, and most tests do not use Discord.
  const { validateExchange, validateDispatch, validateMessage } = await import('./discord-validation.ts');
  const errors = [
    ...exchanges.flatMap(validateExchange),
    ...dispatches.flatMap(validateDispatch),
    ...messages.flatMap(validateMessage),
  ];
  if (errors.length > 0)
    throw new Error(`Traffic violates Discord's OpenAPI document:\n${[...new Set(errors)].join('\n')}`);
}
