import { describe } from 'vitest';
import { receiveOverHttp } from './bot.ts';

receiveOverHttp();

/*
 * The rest of what over-http.test.ts begins: actions and autocomplete, with the same replies as through the gateway.
 */
describe('over HTTP', async () => {
  await import('./actions.test.ts');
  await import('./autocomplete.test.ts');
});
