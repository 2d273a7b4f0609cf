import { expect, it } from 'vitest';
import { partyCard } from '../../../src/features/party/card.ts';
import { html } from '../../../src/platform/web/html.ts';
import { textsIn } from '../../../src/texts/texts.ts';

const status = { votes: 12, goal: 100, credits: 25 };

async function render(period: string, locale: 'en-US' | 'de') {
  const card = partyCard(async () => ({ ...status, period }));
  const view = { scope: null, texts: textsIn(locale), memberLink: () => html``, text: () => html`` };
  return (await card.render(view))?.text;
}

it('the period of a party is shown by its days, in the language of the page', async () => {
  expect(await render('week 2026-W47', 'en-US')).toMatch(/^<p><span lang="en-US">November 16 – 22<\/span>: /);
  expect(await render('613425648685547541 week 2026-W47', 'de')).toMatch(
    /^<p><span lang="de">16.–22. November<\/span>: /,
  );
});
