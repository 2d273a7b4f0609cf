import { day, hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { publicListings } from '../../../config/describe.ts';
import { loadConfig } from '../../../config/load.ts';
import { previewListings } from '../../../src/cli/announcements.ts';
import { environmentWith, harbour, issuesOf } from '../../support/listings-file.ts';

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
      expect.objectContaining({ text: ['@ada: +10, 13 votes, in 12 hours, 2026-01-05T12:00', '@VIP for 1 day'] }),
      expect.objectContaining({ subject: 'a milestone', title: 'For harbour' }),
    ]);
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
      ...['a vote', 'a denied vote', 'premium', 'a test'],
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
});

const environment = (announcements?: object) => environmentWith([{ ...harbour, announcements }]);
const read = (announcements?: object) => loadConfig(environment(announcements)).listings[0]?.announcements;

/** The issues of these settings as text, with their position in `announcements`. */
function problems(announcements: object): string[] {
  return issuesOf(environment(announcements)).map(
    ({ setting, problem }) => `${setting.replace('TALLYHOOK_CONFIG listings.0.announcements.', '')} ${problem}`,
  );
}

const all = {
  mode: 'digest',
  every: '6h',
  title: 'A vote for {listing}',
  text: '{mention} voted. +{credits}',
  colour: '#57F287',
  thumbnail: 'https://example.com/a.png',
  voteButton: false,
  avatar: false,
  icon: false,
  streak: false,
  largeCredits: false,
  reviews: true,
  milestones: false,
  premium: false,
  party: false,
  language: 'pt-BR',
  lostStreaks: 7,
};

describe('the announcements of a listing', () => {
  it('are read from the file, and shown as they are there', () => {
    const { every: _, ...others } = all;
    expect(read(all)).toMatchObject({ ...others, everyMs: 6 * hour });
    const [listing] = publicListings(environment(all)) ?? [];
    const shown = listing?.settings.filter(({ name }) => name.startsWith('announcements.')) ?? [];
    expect(
      Object.fromEntries(shown.map(({ name, value }) => [name.replace('announcements.', ''), value])),
    ).toMatchObject(all);
    expect(read({ mode: 'digest' })).toMatchObject({ everyMs: hour, voteButton: true });
    expect(read({ lostStreaks: true })).toMatchObject({ lostStreaks: 3 });
    expect(read({ lostStreaks: false })).toMatchObject({ lostStreaks: null });
    expect([read({ every: '5m' }), read({ every: '30d' })]).toMatchObject([
      { everyMs: 5 * minute },
      { everyMs: 30 * day },
    ]);
  });

  it.each([
    [{ every: '4m' }, 'every is invalid: it must be a duration from 5m to 24h, or of whole days up to 30d.'],
    [{ every: '36h' }, 'every is invalid: it must be a duration from 5m to 24h, or of whole days up to 30d.'],
    [{ colour: 'green' }, 'colour is invalid: it must be a colour such as #57F287.'],
    [{ thumbnail: 'listing' }, 'thumbnail is invalid: it must be the https address of an image; the service sends no'],
    [{ lostStreaks: 1 }, 'lostStreaks is invalid: it must be true, false, or the least days of such a streak'],
    [
      { text: '{credit}' },
      'text is invalid: it contains {credit}, which is not a placeholder (did you mean {credits}?)',
    ],
    [{ text: 'a'.repeat(3_497) }, 'text is invalid: it is too long'],
    [{ title: 'a'.repeat(257) }, 'title is invalid: it is too long'],
    [{ title: '{mention}' }, 'title is invalid: it contains {mention}, which Discord shows only in the text'],
  ])('have one issue: %j', (announcements, issue) => {
    expect(problems(announcements)).toEqual([expect.stringContaining(issue)]);
  });

  it('report all issues at once', () => {
    expect(problems({ colour: '1', every: '1s', text: '{a} {b}', title: '{' })).toHaveLength(4);
    expect(problems({ text: 'a'.repeat(3_496), title: 'a'.repeat(256) })).toEqual([]);
  });
});
