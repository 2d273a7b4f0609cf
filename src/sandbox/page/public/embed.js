import { element } from './element.js';
import { formatted } from './formatted.js';
import { formatTime } from './time.js';

/** A card in a message. Pictures are shown only where they come from this machine: the page asks nothing of the network. */
export function embedCard(embed, names) {
  const card = element('article', { class: 'embed' });
  if (embed.color != null) card.style.borderInlineStartColor = `#${embed.color.toString(16).padStart(6, '0')}`;
  const thumbnail = picture(embed.thumbnail?.url, 'thumbnail');
  const text = element('div', { class: 'embed-text' });
  if (embed.author) text.append(element('p', { class: 'embed-author' }, linked(embed.author.url, embed.author.name)));
  if (embed.title) {
    text.append(element('h4', { class: 'embed-title' }, linked(embed.url, formatted(embed.title, names))));
  }
  if (embed.description)
    text.append(element('div', { class: 'embed-description' }, formatted(embed.description, names)));
  if (embed.fields?.length)
    text.append(element('dl', { class: 'embed-fields' }, ...embed.fields.map((each) => field(each, names))));
  const shown = picture(embed.image?.url, 'embed-image');
  if (shown) text.append(shown);
  const footer = footerText(embed);
  if (footer) text.append(element('p', { class: 'embed-footer' }, footer));
  card.append(text, ...(thumbnail ? [thumbnail] : []));
  return card;
}

function field({ name, value, inline }, names) {
  const around = element('div', { class: inline ? 'field inline' : 'field' });
  around.append(element('dt', {}, formatted(name, names)), element('dd', {}, formatted(value, names)));
  return around;
}

function footerText({ footer, timestamp }) {
  const at = timestamp ? formatTime(Date.parse(timestamp), 'f') : null;
  return [footer?.text, at].filter(Boolean).join(' • ');
}

function linked(url, content) {
  return url ? element('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, content) : content;
}

function picture(url, kind) {
  if (!url || new URL(url, location.href).pathname.startsWith('/attachments/') === false) return null;
  const here = new URL(url, location.href).pathname;
  return element('img', { class: kind, src: here, alt: '' });
}
