import { minute } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createUnreadyReports, findUnreadyItems, renderUnreadyItem } from '../../../src/features/shop/parts.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { firstCommunity } from '../../support/communities.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directMessageQueue } from '../../support/queues.ts';
import { guildId, shout, start } from '../../support/shop-store.ts';

describe('an item that nobody can buy', () => {
  it('is reported once to the member who last changed the settings, if there is no channel for reports', async () => {
    const clock = manualClock(start);
    const store = await openStore(newSqliteUrl(), clock, { thread: false });
    onTestFinished(() => store.close());
    const manager = '200000000000000007';
    const author = { guildId, authorId: manager, interactionId: '1', at: start, basis: null, undoes: null };
    await store.settings.save({
      ...author,
      values: [{ listing: '', path: 'timeZone', after: { value: '"UTC"', sealed: null } }],
    });
    const shop = { communityId: firstCommunity, guildId, items: [shout], ownerChannelId: null };
    const queue = directMessageQueue(manager, firstCommunity);
    const guildName = 'Lantern Harbour';
    const nudged: string[] = [];
    const { log } = collectingLog();
    // As in two processes.
    for (let process = 0; process < 2; process += 1) {
      const report = createUnreadyReports({
        ...{ store, clock, log },
        nudge: (queues) => nudged.push(...queues),
      });
      for (const unready of findUnreadyItems(shop, null)) {
        await report(shop, unready, guildName);
        await report(shop, unready, guildName);
      }
    }
    expect(new Set(nudged)).toEqual(new Set([queue]));
    const message = { type: 'itemUnready', item: 'Shout-out', issue: 'no_channel', role: null, guildName } as const;
    const effects = await store.outbox.claim(queue, start, start + minute, 10);
    expect(effects).toMatchObject([{ kind: 'directMessage', content: { userId: manager, message } }]);
    expect(renderUnreadyItem(message, textsIn('en-US'))).toMatchObject({
      title: 'An item cannot be bought · Lantern Harbour',
      text: expect.stringMatching(
        /^\*\*Shout-out\*\* is in the shop.*\n\*\*Reports\*\*: none\nFor problems and purchases/,
      ),
    });
  });
});
