import { describe } from 'vitest';
import { receiveOverHttp } from './bot.ts';

receiveOverHttp();

/*
 * The same commands with the same replies as through the gateway: runs the tests of interactions again over HTTP.
 */
describe('over HTTP', async () => {
  await import('./interactions.test.ts');
});
