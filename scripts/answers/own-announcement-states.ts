import { minute } from '@tallyhook/platform/durations';
import { cooldownMs } from './stage.ts';
import { type Scene, state } from './state.ts';

/** Announcements in the owner's words, and the optional ones. */
export const ownAnnouncementScene: Scene = {
  title: 'Announcements by the owner’s settings',
  options: {
    listingSettings: {
      announcements: {
        title: 'Another lantern for {listing}',
        text: '{mention} lit one. +{credits}',
        colour: '#EB459E',
        voteButton: true,
        reviews: true,
      },
    },
  },
  states: [
    state('vote-styled', 'A vote in the owner’s words', '@Ayşe lit one', async (stage) => ({
      message: await stage.announcedVote('Ayşe'),
      viewer: 'mira',
    })),
    state('review', 'A new review', 'New review of Lantern Harbour. ★★★★☆', async (stage) => {
      const { service } = stage.sandbox;
      const listing = (await service.listings()).find(({ kind }) => kind === 'server');
      const review = { rating: 4, comment: 'The harbour is **lovely** at night.' };
      const write = async () => {
        // The reviews that exist at first are not announced.
        await stage.waitFor('the first poll', () => stage.sandbox.discord.connected || undefined);
        const author = { userId: stage.id('juniper'), username: 'juniper' };
        await service.addReview({ listingId: listing?.id ?? '', ...author, ...review });
        stage.pass(30 * minute);
      };
      return { message: await stage.newMessage(stage.channels.announcements, write), viewer: 'mira' };
    }),
  ],
};

/** One message at intervals instead of one per vote. */
export const digestScene: Scene = {
  title: 'The digest',
  options: { listingSettings: { announcements: { mode: 'digest', every: '1h', party: false } } },
  states: [
    state('digest', 'A digest of an hour', '5 votes from 5 members', async (stage) => {
      stage.pass(cooldownMs);
      const vote = async () => {
        for (const voter of ['mira', 'Ayşe', 'tobias_k', 'juniper', 'Noor ✦'] as const) {
          stage.pass(3 * minute);
          await stage.recordedVote(voter);
        }
        stage.pass(60 * minute);
      };
      return { message: await stage.newMessage(stage.channels.announcements, vote), viewer: 'mira' };
    }),
  ],
};
