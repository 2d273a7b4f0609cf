import { systemClock } from '@tallyhook/platform/clock';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/features/store.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';

describeOnEveryDatabase('the language of a member', (newUrl) => {
  it('is the one that was stored last', async () => {
    const { memberLocales, close } = await openStore(newUrl(), systemClock, { thread: false });
    onTestFinished(close);
    expect(await memberLocales.localeOf('1')).toBe(null);
    await memberLocales.setLocale('1', 'de');
    await memberLocales.setLocale('2', 'ja');
    await memberLocales.setLocale('1', 'fr');
    expect(await memberLocales.localeOf('1')).toBe('fr');
  });
});
