import { day, hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { describeListings, publicListings } from '../../../config/describe.ts';
import { loadConfig } from '../../../config/load.ts';
import { plainAnnouncements, settings } from '../../../src/features/settings.ts';
import { environmentWith, harbour, issuesOf } from '../../support/listings-file.ts';

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
  it('are by default one message per vote, with milestones, premium and the party', () => {
    const { DISCORD_TOKEN, LOOKUP_BASE_URL } = environment();
    const variables = { DISCORD_TOKEN: `${DISCORD_TOKEN}`, LOOKUP_BASE_URL: `${LOOKUP_BASE_URL}`, LOOKUP_BOT_KEY: 'k' };
    const plain = {
      ...plainAnnouncements,
      mode: 'each',
      voteButton: true,
      milestones: true,
      premium: true,
      party: true,
    };
    expect(plain).toMatchObject({ title: null, text: null, reviews: false, lostStreaks: null, everyMs: hour });
    expect(read()).toMatchObject(plain);
    expect(read({})).toMatchObject(plain);
    expect(loadConfig(variables).listings.map(({ announcements }) => announcements)).toMatchObject([plain, plain]);
  });

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

  it('are shown with their sources', () => {
    const [listing] = publicListings(environment({ mode: 'digest', every: '2h' })) ?? [];
    const shown = listing?.settings.filter(({ name }) => name.startsWith('announcements.')) ?? [];
    const paths = settings.map(({ path }) => path).filter((path) => path.startsWith('announcements.'));
    expect(shown.map(({ name }) => name)).toEqual(paths);
    expect(shown).toContainEqual({ name: 'announcements.every', source: 'file', value: '2h' });
    expect(shown).toContainEqual({ name: 'announcements.title', source: 'unset', value: null });
    expect(shown).toContainEqual({ name: 'announcements.premium', source: 'default', value: true });
    expect(describeListings(environment(all))).toMatch(
      / {2}announcements\.text +\{mention\} voted\. \+\{credits\} {2}\(/,
    );
  });

  it.each([
    [{ mode: 'all' }, 'mode is invalid: it must be one of each, digest, none.'],
    [{ every: '4m' }, 'every is invalid: it must be a duration from 5m to 24h, or of whole days up to 30d.'],
    [{ every: '36h' }, 'every is invalid: it must be a duration from 5m to 24h, or of whole days up to 30d.'],
    [{ every: 60 }, 'every is invalid: it must be a duration such as 90s, 30m, 12h or 7d, greater than 0 and at most'],
    [{ colour: 'green' }, 'colour is invalid: it must be a colour such as #57F287.'],
    [{ colour: '#57F28' }, 'colour is invalid: it must be a colour such as #57F287.'],
    [{ thumbnail: 'listing' }, 'thumbnail is invalid: it must be the https address of an image; the service sends no'],
    [{ thumbnail: 'http://example.com/a.png' }, 'thumbnail is invalid: it must be the https address of an image'],
    [{ lostStreaks: 1 }, 'lostStreaks is invalid: it must be true, false, or the least days of such a streak'],
    [{ language: 'eo' }, 'language is invalid: it must be one of en, en-US, en-GB, de'],
    [{ voteButton: 'yes' }, 'voteButton is invalid: it must be true or false.'],
    [
      { text: '{credit}' },
      'text is invalid: it contains {credit}, which is not a placeholder (did you mean {credits}?)',
    ],
    [{ text: '{credits' }, 'text is invalid: it contains a brace without its counterpart'],
    [{ text: '' }, 'text is invalid: it must not be empty; leave it out for the usual text.'],
    [{ text: 'a'.repeat(3_497) }, 'text is invalid: it is too long'],
    [{ title: 'a'.repeat(257) }, 'title is invalid: it is too long'],
    [{ title: 'a\nb' }, 'title is invalid: it must be one line.'],
    [{ title: '{mention}' }, 'title is invalid: it contains {mention}, which Discord shows only in the text'],
    [
      { titel: 'a' },
      'TALLYHOOK_CONFIG listings.0.announcements is invalid: it contains "titel", which is not a setting',
    ],
  ])('have one issue: %j', (announcements, issue) => {
    expect(problems(announcements)).toEqual([expect.stringContaining(issue)]);
  });

  it('report all issues at once', () => {
    expect(problems({ colour: '1', every: '1s', text: '{a} {b}', title: '{' })).toHaveLength(4);
    expect(problems({ text: 'a'.repeat(3_496), title: 'a'.repeat(256) })).toEqual([]);
  });
});
