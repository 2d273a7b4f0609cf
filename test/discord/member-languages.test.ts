import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { expect, it } from 'vitest';
import { createMemberLanguages } from '../../src/discord/languages.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';

it('stores the language of a member only if another one is stored, or none', async () => {
  const stored = new Map<string, string>();
  const writes: string[] = [];
  const languages = createMemberLanguages({
    languages: ownTexts,
    locales: {
      localeOf: async (userId) => stored.get(userId) ?? null,
      async setLocale(userId, locale) {
        writes.push(locale);
        stored.set(userId, locale);
      },
    },
    fallback: async () => textsIn('en-US'),
    log: collectingLog().log,
  });
  const note = async (locale: string) => {
    languages.note({ userId: '1', locale });
    await languages.textsOf('1');
  };
  for (const locale of ['de', 'de', 'fr', 'fr']) await note(locale);
  // Such as by the member's wish.
  stored.delete('1');
  await note('fr');
  expect(writes).toEqual(['de', 'fr', 'fr']);
  expect((await languages.textsOf('1')).locale).toBe('fr');
});
