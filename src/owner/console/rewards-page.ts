import { bold, joined, type Markup } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { describeValue, settingName } from '../../../commands/setup/view.ts';
import { isOff } from '../../core/settings/setting-spec.ts';
import type { CardView, ConsoleCard } from '../../features/parts.ts';
import { settings } from '../../features/settings.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ListingRules } from '../context.ts';
import type { NameBook } from '../names.ts';
import { memberLink, named, untrustedText } from './cells.ts';
import { timeZoneText } from './listings-page.ts';
import { reasonHtml } from './reason.ts';
import { inlineMarkup } from './settings/markup-html.ts';

/** What the page is shown with. */
interface RewardsPage {
  readonly root: string;
  readonly texts: Texts;
  readonly names: NameBook;
}

/** One card per subject. @param cards those of the features */
export function rewardsPage(
  { rules, cards }: { readonly rules: readonly ListingRules[]; readonly cards: readonly RenderedCard[] },
  page: RewardsPage,
): Html {
  const { texts } = page;
  const shown = (isBeside: boolean) =>
    cards.flatMap(({ card: each, content }) =>
      (each.isBesideRules === true) === isBeside ? [card(each.id, each.title(texts), content)] : [],
    );
  return html`<h1>${texts.text('console.rewards')}</h1>
<div class="columns">
${card('rules', texts.text('console.rules'), rulesByListing(rules, page))}
<div>${shown(true)}</div>
</div>
${shown(false)}`;
}

/** A card with its content, for one page. */
export interface RenderedCard {
  readonly card: ConsoleCard;
  readonly content: Html;
}

/** Without the cards that have nothing to show. */
export async function renderCards(
  cards: readonly ConsoleCard[],
  scope: CardView['scope'],
  page: RewardsPage,
): Promise<readonly RenderedCard[]> {
  const { texts, names } = page;
  const view: CardView = {
    ...{ scope, texts, text: untrustedText },
    memberLink: (userId) => memberLink(userId, page),
    role: (id) => named(id, names.role(id)),
    reason: (reason) => reasonHtml(reason, page),
    markup: (text) => inlineMarkup(text, names, texts.locale),
  };
  const contents = await Promise.all(cards.map((each) => each.render(view)));
  return cards.flatMap((each, index) => {
    const content = contents[index];
    return content ? [{ card: each, content }] : [];
  });
}

function card(id: string, title: string, content: Html | readonly Html[]): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

/** Listings with the same rules share one list. */
function rulesByListing(listings: readonly ListingRules[], { texts, names }: RewardsPage): Html[] {
  const described = listings.map((each) => ({ ...each, rules: describeRules(each, texts) }));
  const groups = Map.groupBy(described, ({ timeZone, rules }) => [timeZone, ...rules].join('\n'));
  return [...groups.values()].map((group) => {
    const titles = texts.list(group.map(({ name }) => names.listing(name) ?? name));
    const { timeZone = '', rules = [] } = group[0] ?? {};
    return html`<h3><bdi>${titles}</bdi></h3><ul class="rules">${rules.map((rule) => html`<li>${inlineMarkup(rule, names, texts.locale)}</li>`)}</ul>
<p class="quiet">${timeZoneText(timeZone, texts)}</p>`;
  });
}

/** The rules of a listing that are on, in the words of `/setup`. */
function describeRules(listing: ListingRules, texts: Texts): readonly Markup[] {
  return settings.flatMap(({ path, inFile }) => {
    const value = inFile(listing);
    if (!path.startsWith('rewards.') || isOff(value) || value === 'all') return [];
    return [joined([bold(settingName(path, texts)), describeValue(path, value, texts)], ': ')];
  });
}
