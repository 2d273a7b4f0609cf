import { readFileSync } from 'node:fs';
import { once } from '@tallyhook/platform/memoize';
import { withoutBold } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { medalOf, scoreText } from '../../texts/boards.ts';
import type { Texts } from '../../texts/texts.ts';
import { linkLabel, memberText, titleOf } from './page.ts';
import type { PublicView } from './view.ts';

/** Members in widget and picture. */
const shownMembers = 5;

/** The first board for programs, without texts of a language. */
export function boardData(slug: string, { name, boards: [board], links }: PublicView) {
  const { per, by, members, total } = board;
  return {
    ...{ slug, name, per, by, total },
    members: members.slice(0, shownMembers),
    links: links.flatMap(({ name: listing, site, url }) => (url === null ? [] : { name: listing, site, url })),
  };
}

/** The data of the widget, in the language of the visitor. */
function widgetData(slug: string, view: PublicView, texts: Texts) {
  const { boards, links } = view;
  const [board] = boards;
  const linked = links.filter(({ url }) => url !== null);
  const { text, locale } = texts;
  return {
    ...{ slug, locale, name: view.name, title: titleOf(board, texts) },
    members: board.members.slice(0, shownMembers).map((member) => ({
      rank: medalOf(member.rank) ?? texts.number(member.rank),
      name: memberText(member, texts),
      score: withoutBold(scoreText(board.by, member.score, texts)),
    })),
    none: withoutBold(text('leaderboard.none')),
    links: linked.map((link) => ({ label: linkLabel(link, linked, texts), url: link.url })),
    more: text('publicPage.allPlaces'),
  };
}

const script = once(() => readFileSync(new URL('./widget.browser.js', import.meta.url), 'utf8'));

/** The script of the widget with all that it shows, so that it requests nothing. */
export function widgetScript(slug: string, view: PublicView, texts: Texts): string {
  return script().replace('__DATA__', () => JSON.stringify(widgetData(slug, view, texts)));
}

/* CSS pixels, and the colours of the other pictures. */
const [width, rowHeight, top] = [480, 40, 92];
const margin = 24;
const colors = { background: '#1e1f22', text: '#f2f3f5', quiet: '#a3a9b3', track: '#2e3035', bar: '#5865f2' };
const fonts = 'Inter, system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
/** Names end before the score begins. */
const nameWidth = 250;

/** The first places as a picture. The fonts are those of the viewer, so every script can be drawn. */
export function boardPicture(view: PublicView, texts: Texts): Html {
  const [board] = view.boards;
  const members = board.members.slice(0, shownMembers);
  const most = Math.max(1, ...members.map(({ score }) => score));
  const height = top + Math.max(1, members.length) * rowHeight + 12;
  const rows = members.map((member, index) => {
    const y = top + index * rowHeight;
    const length = Math.max(4, Math.round(((width - 2 * margin - 44) * member.score) / most));
    const medal = medalOf(member.rank) ?? texts.number(member.rank);
    return html`<text x="${margin + 14}" y="${y + 16}" text-anchor="middle" font-size="16" fill="${colors.quiet}">${medal}</text>
<svg x="${margin + 44}" y="${y - 4}" width="${nameWidth}" height="28"><text x="0" y="20" font-size="17" font-weight="600" unicode-bidi="isolate">${xmlText(memberText(member, texts))}</text></svg>
<text x="${width - margin}" y="${y + 16}" text-anchor="end" font-size="15" fill="${colors.quiet}">${withoutBold(scoreText(board.by, member.score, texts))}</text>
<rect x="${margin + 44}" y="${y + 24}" width="${width - 2 * margin - 44}" height="4" rx="2" fill="${colors.track}"/><rect x="${margin + 44}" y="${y + 24}" width="${length}" height="4" rx="2" fill="${colors.bar}"/>`;
  });
  const title = titleOf(board, texts);
  const empty = html`<text x="${margin}" y="${top + 16}" font-size="16" fill="${colors.quiet}">${withoutBold(texts.text('leaderboard.none'))}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xmlText(view.name)}: ${title}" font-family="${fonts}" fill="${colors.text}">
<rect width="${width}" height="${height}" rx="12" fill="${colors.background}"/>
<svg x="${margin}" y="16" width="${width - 2 * margin}" height="32"><text x="0" y="24" font-size="22" font-weight="700" unicode-bidi="isolate">${xmlText(view.name)}</text></svg>
<text x="${margin}" y="68" font-size="15" fill="${colors.quiet}">${title} · ${texts.days(...board.days)}</text>
${members.length === 0 ? empty : rows}
</svg>
`;
}

/** A text without the characters that a page may have and XML may not. */
function xmlText(text: string): string {
  return text.toWellFormed().replace(/[\uFFFE\uFFFF]/g, '');
}
