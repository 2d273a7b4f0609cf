import { html } from '@tallyhook/platform/web/html';
import { expect, it } from 'vitest';
import { partyCard } from '../../../src/features/party/parts.ts';
import { textsIn } from '../../../src/texts/texts.ts';

const status = { votes: 12, goal: 100, credits: 25 };

async function render(period: string, locale: 'en-US' | 'de') {
  const card = partyCard(async () => ({ ...status, period }));
  const none = () => html``;
  const shown = { memberLink: none, role: none, text: none, reason: none, markup: (text: string) => html`${text}` };
  const view = { scope: null, texts: textsIn(locale), ...shown };
  return (await card.render(view))?.text;
}

it('the period of a party is shown by its days, in the language of the page', async () => {
  expect(await render('week 2026-W47', 'en-US')).toMatch(/^<p>November 16 – 22: /);
  expect(await render('613425648685547541 week 2026-W47', 'de')).toMatch(/^<p>16.–22. November: /);
});
