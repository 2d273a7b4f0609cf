import { describe, expect, it } from 'vitest';
import { journey } from '../support/journey.ts';
import { examined } from './examined.ts';

describe('the doctor', () => {
  it('looks', async () => {
    const { environment, url, post } = await journey();
    await post('/webhooks/vote', { event: 'server_vote', userId: '1', timestamp: new Date().toISOString() });
    const { text } = await examined({ ...environment, PORT: new URL(url).port });
    console.log(text);
    const again = await examined({ ...environment }, { url });
    console.log(again.text);
    expect(1).toBe(1);
  });
});
