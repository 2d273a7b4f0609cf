import { day } from '@tallyhook/platform/durations';
import { cooldownMs } from './stage.ts';
import { type Scene, state } from './state.ts';

/** The commands of members who vote, with what they see before and after. */
export const memberScene: Scene = {
  title: 'Votes, credits and reminders',
  states: [
    state('leaderboard-empty', '/leaderboard before the first vote', 'Nobody is ranked here yet', (stage) =>
      stage.run('leaderboard'),
    ),
    state('credits-empty', '/credits before the first vote', '0 credits. No streak', (stage) =>
      stage.run('credits', {}, 'juniper'),
    ),
    state('canvote-now', '/canvote: you can vote now', 'You can vote for Lantern Harbour now', (stage) =>
      stage.run('canvote'),
    ),
    state('canvote-not-yet', '/canvote: not yet', 'You can vote for Lantern Harbour again', async (stage) => {
      await stage.announcedVote('mira');
      return stage.run('canvote');
    }),
    state('vote-list', '/vote', 'You can vote for Quartermaster now. You can vote for Lantern Harbour again', (stage) =>
      stage.run('vote'),
    ),
    state('canvote-other', '/canvote for another member', '@Ayşe can vote for Lantern Harbour now', (stage) =>
      stage.run('canvote', { user: stage.id('Ayşe') }),
    ),
    state('canvote-bot', '/canvote for the other listing', 'You can vote for Quartermaster now', (stage) =>
      stage.run('canvote', { listing: 'bot' }),
    ),
    state('remind-on', '/remind on', 'Reminders are on', (stage) => stage.run('remind', { state: 'on' })),
    state('reminder', 'The reminder, a direct message', 'forward to your vote', async (stage) => {
      const { discord } = stage.sandbox;
      stage.pass(cooldownMs);
      const message = await stage.waitFor('the reminder', () => discord.directMessages(stage.id('mira'))[0]);
      return { message, viewer: 'mira' };
    }),
    state('remind-snoozed', '“In 1 hour” below a reminder', 'Reminder postponed', async (stage) => {
      const [message] = stage.sandbox.discord.directMessages(stage.id('mira'));
      if (message === undefined) throw new Error('There is no reminder.');
      return stage.press({ message, viewer: 'mira' }, 'remind/snooze');
    }),
    state('remind-off', '/remind off', 'Reminders are off', (stage) => stage.run('remind', { state: 'off' })),
    state('credits-own', '/credits after votes', 'Credits. 175 credits · rank #1', async (stage) => {
      for (let votes = 0; votes < 3; votes += 1) {
        stage.pass(cooldownMs);
        await stage.announcedVote('mira');
      }
      await stage.announcedVote('mira', 'bot');
      await stage.announcedVote('Ayşe');
      await stage.announcedVote('Noor ✦', 'bot');
      return stage.run('credits');
    }),
    state('credits-other', '/credits of another member', '@mira. 175 credits', (stage) =>
      stage.run('credits', { user: stage.id('mira') }, 'Ayşe'),
    ),
    state('leaderboard-all', '/leaderboard of all time', '#1 @mira · 175 credits', (stage) =>
      stage.run('leaderboard', {}, 'Ayşe'),
    ),
    state('leaderboard-week', '/leaderboard of this week by credits', 'Most credits this week', (stage) =>
      stage.run('leaderboard', { period: 'week', by: 'credits' }),
    ),
    state('leaderboard-streak', '/leaderboard by streak', 'Longest current streaks. 🥇 #1 @mira', (stage) =>
      stage.run('leaderboard', { by: 'streak' }, 'juniper'),
    ),
    state('stats-server', '/stats of the server', 'Members: 4,21', (stage) => stage.run('stats')),
    state('stats-bot', '/stats of the bot', 'Servers: 1,873', (stage) => stage.run('stats', { listing: 'bot' })),
    state('reviews', '/reviews', 'Newest 10 of 31', (stage) => stage.run('reviews')),
    state('reviews-last', '/reviews: the last page', 'page 2 of 2', async (stage) => {
      const first = await stage.run('reviews', { limit: 6 });
      return stage.press(first, 'page', 'page=2');
    }),
    state('reviews-filter', '/reviews with one star', 'With 1 star', (stage) => stage.run('reviews', { stars: 1 })),
    state('claim-recorded', '/claim for a vote that has been paid', 'It earned 10 credits', (stage) =>
      stage.run('claim'),
    ),
    state(
      'claim-paid',
      '/claim for a vote that was not delivered',
      'It had not arrived here, and is recorded now',
      async (stage) => {
        const { service, urls } = stage.sandbox;
        const [server] = (await service.listings()).filter(({ kind }) => kind === 'server');
        const url = (voteUrl: string) => service.setWebhook(server?.id ?? '', { voteUrl });
        stage.pass(day);
        await url(`${urls.bot}/nowhere`);
        await stage.vote('juniper');
        const shown = await stage.run('claim', {}, 'juniper');
        await url(`${urls.bot}/webhooks/vote`);
        return shown;
      },
    ),
    state('privacy-export', '/privacy export', 'Your data', (stage) => stage.run('privacy', { action: 'export' })),
    state('privacy-forget', '/privacy forget: the question', 'Forget you?', (stage) =>
      stage.run('privacy', { action: 'forget' }, 'juniper'),
    ),
    state('help', '/help', '/canvote', (stage) => stage.run('help')),
    state('award', '/award', 'now has 35 credits (+25)', (stage) =>
      stage.run('award', { user: stage.id('Ayşe'), credits: 25, reason: 'Drew the new emoji' }),
    ),
    state('trace', '/trace', 'The last votes and purchases of @mira', (stage) =>
      stage.run('trace', { user: stage.id('mira') }),
    ),
  ],
};

/** A community in which nobody has voted or written a review. */
export const emptyScene: Scene = {
  title: 'A new listing',
  options: { seed: 'none' },
  states: [
    state('reviews-none', '/reviews without any', 'Nobody has written a review yet', (stage) => stage.run('reviews')),
    state('claim-none', '/claim without a vote', 'Nothing to claim', (stage) => stage.run('claim')),
    state('stats-new', '/stats of a new listing', 'Votes: 0', (stage) => stage.run('stats')),
  ],
};
