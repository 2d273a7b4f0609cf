import { type Html, html } from '../../platform/web/html.ts';

/** The address of a page or of mail, without the sign that ends its sentence. */
const address =
  /(https?:\/\/[^\s<>]{1,500}(?<![.,:;!?"')\]])|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/i;

/** A plain text as a part of a page: paragraphs between empty lines, `# ` before a heading, and links for addresses. */
export function textHtml(text: string): Html {
  const blocks = text
    .replaceAll('\r', '')
    .trim()
    .split(/\n(?:[ \t]*\n)+/);
  return html`${blocks.map((block) => {
    const [, heading, rest = block] = /^#{1,6} (.+)\n?([\s\S]*)$/.exec(block) ?? [];
    return html`${heading !== undefined && html`<h2>${heading}</h2>`}${rest !== '' && html`<p>${withLinks(rest)}</p>`}`;
  })}`;
}

function withLinks(text: string): Html {
  return html`${text
    .split(address)
    .map((part, index) =>
      index % 2 === 0 ? part : html`<a href="${/^https?:/i.test(part) ? part : `mailto:${part}`}">${part}</a>`,
    )}`;
}
