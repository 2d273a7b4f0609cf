import { day } from '../../src/platform/durations.ts';
import { cooldownMs } from './stage.ts';
import type { AnswerState, Scene } from './state.ts';

const state = (name: string, title: string, show: AnswerState['show']): AnswerState => ({ name, title, show });

/** The commands of members who vote, with what they see before and after. */
export const memberScene: Scene = {
  title: 'Votes, credits and reminders',
  states: [
    state('leaderboard-empty', '/leaderboard before the first vote', (stage) => stage.run('leaderboard')),
    state('credits-empty', '/credits before the first vote', (stage) => stage.run('credits', {}, 'juniper')),
    state('canvote-now', '/canvote: you can vote now', (stage) => stage.run('canvote')),
    state('canvote-not-yet', '/canvote: not yet', async (stage) => {
      await stage.announcedVote('mira');
      return stage.run('canvote');
    }),
    state('canvote-other', '/canvote for another member', (stage) => stage.run('canvote', { user: stage.id('Ayşe') })),
    state('canvote-bot', '/canvote for the other listing', (stage) => stage.run('canvote', { listing: 'bot' })),
    state('remind-on', '/remind on', (stage) => stage.run('remind', { state: 'on' })),
    state('reminder', 'The reminder, a direct message', async (stage) => {
      const { discord } = stage.sandbox;
      stage.pass(cooldownMs);
      const message = await stage.waitFor('the reminder', () => discord.directMessages(stage.id('mira'))[0]);
      return { message, viewer: 'mira' };
    }),
    state('remind-snoozed', '“In 1 hour” below a reminder', async (stage) => {
      const [message] = stage.sandbox.discord.directMessages(stage.id('mira'));
      if (message === undefined) throw new Error('There is no reminder.');
      return stage.press({ message, viewer: 'mira' }, 'remind/snooze');
    }),
    state('remind-off', '/remind off', (stage) => stage.run('remind', { state: 'off' })),
    state('credits-own', '/credits after votes', async (stage) => {
      for (let votes = 0; votes < 3; votes += 1) {
        stage.pass(cooldownMs);
        await stage.announcedVote('mira');
      }
      await stage.announcedVote('mira', 'bot');
      await stage.announcedVote('Ayşe');
      await stage.announcedVote('Noor ✦', 'bot');
      return stage.run('credits');
    }),
    state('credits-other', '/credits of another member', (stage) =>
      stage.run('credits', { user: stage.id('mira') }, 'Ayşe'),
    ),
    state('leaderboard-all', '/leaderboard of all time', (stage) => stage.run('leaderboard', {}, 'Ayşe')),
    state('leaderboard-week', '/leaderboard of this week by credits', (stage) =>
      stage.run('leaderboard', { period: 'week', by: 'credits' }),
    ),
    state('leaderboard-streak', '/leaderboard by streak', (stage) =>
      stage.run('leaderboard', { by: 'streak' }, 'juniper'),
    ),
    state('stats-server', '/stats of the server', (stage) => stage.run('stats')),
    state('stats-bot', '/stats of the bot', (stage) => stage.run('stats', { listing: 'bot' })),
    state('reviews', '/reviews', (stage) => stage.run('reviews')),
    state('reviews-last', '/reviews: the last page', async (stage) => {
      const first = await stage.run('reviews', { limit: 6 });
      return stage.press(first, 'page', 1);
    }),
    state('reviews-filter', '/reviews with one star', (stage) => stage.run('reviews', { stars: 1 })),
    state('claim-recorded', '/claim for a vote that has been paid', (stage) => stage.run('claim')),
    state('claim-none', '/claim without a vote', (stage) => stage.run('claim', { listing: 'bot' }, 'old_salt')),
    state('claim-paid', '/claim for a vote that was not delivered', async (stage) => {
      const { service, urls } = stage.sandbox;
      const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
      const url = (voteUrl: string) => service.setWebhook(server?.id ?? '', { voteUrl });
      stage.pass(day);
      await url(`${urls.bot}/nowhere`);
      await stage.vote('juniper');
      await url(`${urls.bot}/webhooks/vote`);
      return stage.run('claim', {}, 'juniper');
    }),
    state('privacy-export', '/privacy export', (stage) => stage.run('privacy', { action: 'export' })),
    state('privacy-forget', '/privacy forget: the question', (stage) =>
      stage.run('privacy', { action: 'forget' }, 'juniper'),
    ),
    state('help', '/help', (stage) => stage.run('help')),
    state('award', '/award', (stage) =>
      stage.run('award', { user: stage.id('Ayşe'), credits: 25, reason: 'Drew the new emoji' }),
    ),
    state('trace', '/trace', (stage) => stage.run('trace', { user: stage.id('mira') })),
  ],
};

/** A community in which nobody has voted or written a review. */
export const emptyScene: Scene = {
  title: 'A new listing',
  options: { seed: 'none' },
  states: [
    state('reviews-none', '/reviews without any', (stage) => stage.run('reviews')),
    state('stats-new', '/stats of a new listing', (stage) => stage.run('stats')),
  ],
};
