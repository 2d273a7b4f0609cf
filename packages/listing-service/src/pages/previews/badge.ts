import { type Html, html } from '@tallyhook/platform/web/html';

const height = 28;
const fontSize = 13;
const padding = 10;

/**
 * Two short texts side by side, as an SVG that other sites embed: neither a script nor a style sheet, so it looks the same
 * under any Content-Security-Policy.
 * @param title read out in place of the picture, where the page has no other text for it
 */
export function badge(title: string, label: string, value: string): Html {
  const [left, right] = [widthOf(label), widthOf(value)];
  const width = left + right + 4 * padding;
  const text = (content: string, x: number, length: number) =>
    html`<text x="${x}" y="18.5" textLength="${length}" lengthAdjust="spacingAndGlyphs">${content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="shape"><rect width="${width}" height="${height}" rx="6"/></clipPath>
<g clip-path="url(#shape)">
<rect width="${left + 2 * padding}" height="${height}" fill="#1f5f6b"/>
<rect x="${left + 2 * padding}" width="${right + 2 * padding}" height="${height}" fill="#1d2430"/>
</g>
<g fill="#ffffff" font-family="Verdana, 'DejaVu Sans', sans-serif" font-size="${fontSize}">
${text(label, padding, left)}
${text(value, left + 3 * padding, right)}
</g>
</svg>
`;
}

/** About the width of a text. It is drawn in exactly this width, whatever fonts there are. */
function widthOf(text: string): number {
  const widths = Array.from(text, (character): number => {
    if (/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u.test(character)) return 1;
    if (/[.,:;!|'iljtfrI\s\u00A0\u202F]/u.test(character)) return 0.36;
    return /[mwMW]/.test(character) ? 0.95 : /\p{M}/u.test(character) ? 0 : 0.63;
  });
  return Math.round(widths.reduce((sum, width) => sum + width, 0) * fontSize);
}
