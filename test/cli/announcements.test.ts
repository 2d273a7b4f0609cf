import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { previewListings } from '../../src/cli/announcements.ts';
import { hour } from '../../src/platform/durations.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';

const now = Date.UTC(2026, 0, 5, 12);

function preview(announcements: object, listing: object = {}) {
  const { listings } = loadConfig(environmentWith([{ ...harbour, ...listing, announcements }]));
  return previewListings(listings, now);
}
const subjects = (announcements: object) =>
  preview(announcements).flatMap(({ previews }) => previews.map(({ subject }) => subject));

describe('the preview of announcements', () => {
  it("shows the owner's text with sample values", () => {
    const [harbourPreview] = preview({
      ...{ title: 'For {listing}', text: '{mention}: +{credits}, {votes} votes, {next}, {time}', voteButton: true },
    });
    expect(harbourPreview).toMatchObject({ listing: 'harbour', mode: 'each' });
    expect(harbourPreview?.previews.slice(0, 3)).toEqual([
      {
        ...{ subject: 'a vote', title: 'For harbour', buttons: ['Vote too', 'Remind me'] },
        text: ['@ada: +10, 50 votes, in 12 hours, 2026-01-05T12:00'],
      },
      expect.objectContaining({
        text: [
          '@ada: +10, 50 votes, in 12 hours, 2026-01-05T12:00',
          `Received: @VIP until ${new Date(now + 12 * hour).toISOString().slice(0, 16)}`,
        ],
      }),
      expect.objectContaining({ subject: 'a milestone', title: 'For harbour' }),
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
