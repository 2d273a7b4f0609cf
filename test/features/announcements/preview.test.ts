import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { previewListings } from '../../../src/cli/announcements.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';

const now = Date.UTC(2026, 0, 5, 12);

function preview(announcements: object, listing: object = {}) {
  const { listings } = loadConfig(environmentWith([{ ...harbour, ...listing, announcements }]));
  return previewListings(listings, now);
}
/** Everything that can be announced of votes. */
const rewards = { voterRole: { role: '300000000000000009', for: '24h' }, milestones: [{ votes: 25, credits: 70 }] };
const subjects = (announcements: object) =>
  preview(announcements, { rewards }).flatMap(({ previews }) => previews.map(({ subject }) => subject));

describe('the preview of announcements', () => {
  it("shows the owner's text with sample values", () => {
    const text = '{mention}: +{credits}, {votes} votes, {next}, {time}';
    const [harbourPreview] = preview({ title: 'For {listing}', text, voteButton: true }, { rewards });
    expect(harbourPreview).toMatchObject({ listing: 'harbour', mode: 'each' });
    expect(harbourPreview?.previews.slice(0, 3)).toEqual([
      {
        ...{ subject: 'a vote', title: 'For harbour', buttons: ['Vote too', 'Remind me'] },
        text: ['@ada: +10, 13 votes, in 12 hours, 2026-01-05T12:00'],
      },
      expect.objectContaining({
        text: ['@ada: +10, 13 votes, in 12 hours, 2026-01-05T12:00', '@VIP for 1 day'],
      }),
      expect.objectContaining({ subject: 'a milestone', title: 'For harbour' }),
    ]);
  });

  it('calls the listing what its members call it', () => {
    const [titled] = preview({ title: 'For {listing}' }, { title: 'The Harbour' });
    expect(titled?.listing).toBe('harbour');
    expect(titled?.previews[0]?.title).toBe('For The Harbour');
  });

  it('has the amounts that the rules pay at that time', () => {
    const ruled = {
      ...{ timeZone: 'Europe/Berlin', cooldownHours: 6 },
      rewards: {
        ...{ vote: 15, premium: 250, whenDenied: 3, streak: { every: 3, credits: 40, forgive: 0 } },
        multipliers: [
          { factor: 2, days: ['monday'] },
          { factor: 9, days: ['sunday'] },
          { factor: 5, role: '300000000000000009' },
        ],
        milestones: [{ votes: 25, credits: 70 }],
      },
    };
    const textOf = (announcements: object, subject: string) =>
      preview({ largeCredits: false, ...announcements }, ruled)[0]
        ?.previews.find((each) => each.subject === subject)
        ?.text.join('\n');
    expect(textOf({}, 'a vote')).toContain('+**30** credits (15 × 2)');
    expect(textOf({}, 'a vote')).toContain('3-day streak: +**40**');
    expect(textOf({ text: '{next}' }, 'a vote')).toContain('in 6 hours');
    expect(textOf({}, 'a milestone')).toContain('25 votes: +**70**');
    expect(textOf({}, 'a denied vote')).toContain('+**3** credits');
    expect(textOf({}, 'premium')).toContain('+**250** credits');
    expect(textOf({ mode: 'digest' }, 'a digest')).toContain(`**${12 * 30 + 70}** credits`);
    // Nothing that the rules do not have is announced.
    expect(preview({})[0]?.previews.map(({ subject }) => subject)).toEqual([
      'a vote',
      'a denied vote',
      'premium',
      'a test',
    ]);
  });

  it('has what the settings announce', () => {
    const votes = ['a vote', 'a vote that earned a role', 'a milestone', 'a denied vote'];
    expect(subjects({})).toEqual([...votes, 'premium', 'a test']);
    expect(subjects({ mode: 'digest', reviews: true, lostStreaks: 5 })).toEqual([
      ...['a milestone', 'a digest', 'premium', 'lost streaks', 'a review', 'a test'],
    ]);
    expect(subjects({ mode: 'none', milestones: false, premium: false })).toEqual(['a test']);
  });

  it('is in the language of the settings, without mentions, times and links of Discord', () => {
    const texts = JSON.stringify(preview({ reviews: true, lostStreaks: true, mode: 'digest', language: 'en' }));
    expect(texts).not.toMatch(/<[@t]|\]\(http/);
    expect(texts).toContain('Votes for harbour');
  });
});
