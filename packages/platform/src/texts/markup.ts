import { isSnowflake } from '../snowflake.ts';
import { normalizeText, plainName, truncateAs } from '../truncate.ts';

/**
 * Safe Discord markup, enforced by its type: external text becomes `Markup` only through {@link escapeText} or {@link
 * escapeName}. A voter's name or a review can therefore neither ping, nor link, nor imitate the bot's own texts. All
 * lengths are UTF-16 units, as in Discord's limits.
 */
declare const safe: unique symbol;
/** Text that Discord renders as intended. Only the functions of this file create it. @category Texts */
export type Markup = string & { readonly [safe]: true };
/** Text that Discord shows as it is, as on a button: of {@link Markup}, the reader would see the signs. @category Texts */
export type Plain = string & { readonly [safe]?: never };

/**
 * A template literal of our own text, numbers and safe parts: markup`${mention(id)} has ${7} credits`.
 * @category Texts
 * @example
 * ```ts
 * import { markup, mention } from 'tallyhook/discord';
 *
 * markup`${mention('80351110224678912')} has voted`;
 * ```
 */
export function markup(texts: TemplateStringsArray, ...parts: readonly (Markup | number | bigint)[]): Markup {
  let text = texts[0] ?? '';
  for (const [index, part] of parts.entries()) text += String(part) + (texts[index + 1] ?? '');
  return asMarkup(text);
}

/**
 * Joins the parts that are not empty with our own separator.
 * @category Texts
 * @example
 * ```ts
 * import { joined, markup } from 'tallyhook/discord';
 *
 * joined([markup`one`, null, markup`two`], ', '); // one, two
 * ```
 */
export function joined(parts: readonly (Markup | null | undefined)[], separator: string): Markup {
  return asMarkup(parts.filter((part) => part).join(separator));
}

/**
 * The parts that are not empty, each on its own line.
 * @category Texts
 * @example
 * ```ts
 * import { lines, markup } from 'tallyhook/discord';
 *
 * lines(markup`Thank you!`, markup`See you tomorrow.`);
 * ```
 */
export function lines(...parts: readonly (Markup | null | undefined)[]): Markup {
  return joined(parts, '\n');
}

export function repeated(part: Markup, times: number): Markup {
  return asMarkup(part.repeat(times));
}

/**
 * Bold text; an empty one stays empty.
 * @category Texts
 * @example
 * ```ts
 * import { bold, markup } from 'tallyhook/discord';
 *
 * bold(markup`10 credits`); // **10 credits**
 * ```
 */
export function bold(text: Markup): Markup {
  return text.trim() === '' ? text : markup`**${text}**`;
}

/** A text for Discord, such as a number with its noun, where there is no markup. */
export function withoutBold(text: Markup): string {
  return text.replaceAll('**', '');
}

/**
 * Small grey text, on its own line.
 * @category Texts
 * @example
 * ```ts
 * import { markup, subtext } from 'tallyhook/discord';
 *
 * subtext(markup`as of today`); // -# as of today
 * ```
 */
export function subtext(text: Markup): Markup {
  return markup`-# ${text}`;
}

/**
 * A link with a label; only the label if the URL is not a valid web address.
 * @category Texts
 * @example
 * ```ts
 * import { link, markup } from 'tallyhook/discord';
 *
 * link(markup`Vote`, 'https://list.example/servers/1'); // [Vote](https://list.example/servers/1)
 * ```
 */
export function link(label: Markup, url: string | null | undefined): Markup {
  const address = webAddress(url);
  return address === null || label.trim() === '' ? label : asMarkup(`[${label}](${address})`);
}

/**
 * A URL that Discord accepts in links and buttons: http or https, without user and password, at most 512 units,
 * parentheses encoded. Null for any other text.
 */
export function webAddress(url: string | null | undefined): string | null {
  const parsed = url ? URL.parse(url) : null;
  if (parsed === null) return null;
  const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:';
  const address = parsed.href.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
  return isWeb && parsed.username === '' && parsed.password === '' && address.length <= 512 ? address : null;
}

/**
 * Discord: "Timestamp Styles". R is relative ("in 3 hours"), f a short date with time, D a long date.
 * @category Texts
 */
export type TimestampStyle = 'R' | 'f' | 'F' | 'D' | 'd' | 'T' | 't';

/**
 * A time (ms since the epoch) that Discord shows in each reader's time zone and language.
 * @category Texts
 * @example
 * ```ts
 * import { timestamp } from 'tallyhook/discord';
 *
 * timestamp(Date.now() + 60_000, 'R'); // in a minute
 * ```
 */
export function timestamp(ms: number, style: TimestampStyle): Markup {
  return asMarkup(`<t:${Math.floor(ms / 1_000)}:${style}>`);
}

/**
 * A mention of a user; `allowed_mentions` decides whether it pings. An invalid id is shown as text.
 * @category Texts
 * @example
 * ```ts
 * import { mention } from 'tallyhook/discord';
 *
 * mention('80351110224678912'); // <@80351110224678912>
 * ```
 */
export function mention(userId: string): Markup {
  return isSnowflake(userId) ? asMarkup(`<@${userId}>`) : escapeName(userId, 32);
}

/**
 * A mention of a member, or the name of one who has left, whom Discord would show as an id.
 * @param departed names by id: external text
 * @internal
 */
export function memberName(userId: string, departed: ReadonlyMap<string, string>): Markup {
  const name = departed.get(userId);
  return name === undefined ? mention(userId) : escapeName(name, 32);
}

/**
 * A mention of a role; `allowed_mentions` decides whether it pings. An invalid id is shown as text.
 * @category Texts
 * @example
 * ```ts
 * import { roleMention } from 'tallyhook/discord';
 *
 * roleMention('119000000000000003'); // <@&119000000000000003>
 * ```
 */
export function roleMention(roleId: string): Markup {
  return isSnowflake(roleId) ? asMarkup(`<@&${roleId}>`) : escapeName(roleId, 32);
}

/**
 * A mention of a channel. An invalid id is shown as text.
 * @category Texts
 * @example
 * ```ts
 * import { channelMention } from 'tallyhook/discord';
 *
 * channelMention('119000000000000003'); // <#119000000000000003>
 * ```
 */
export function channelMention(channelId: string): Markup {
  return isSnowflake(channelId) ? asMarkup(`<#${channelId}>`) : escapeName(channelId, 32);
}

/**
 * A reason that we wrote in English, in which ids of channels, roles and members are numbers, with mentions in their
 * place.
 */
export function withMentions(reason: Markup): Markup {
  const marks: Readonly<Record<string, string>> = { channel: '#', role: '@&', member: '@' };
  return asMarkup(
    reason.replace(/\b(channel|role|member) (\d{17,20})\b/gi, (_, kind: string, id: string) => {
      return `<${marks[kind.toLowerCase()]}${id}>`;
    }),
  );
}

/** Text of one line that can be copied as it is: Discord renders no markup in it. */
export function codeBlock(text: string): Markup {
  return text.includes('`') ? escapeText(text) : asMarkup(`\`\`\`\n${text}\n\`\`\``);
}

/** A mention of a slash command, which opens it; only its name if the id is not known. */
export function commandMention(name: string, id: string | null): Markup {
  return isSnowflake(id) ? asMarkup(`</${name}:${id}>`) : bold(asMarkup(`/${name}`));
}

/**
 * Escapes external text of several lines.
 * @category Texts
 * @example
 * ```ts
 * import { escapeText } from 'tallyhook/discord';
 *
 * escapeText('*hello*'); // \\*hello\\*
 * ```
 */
export function escapeText(text: string, limit = Number.POSITIVE_INFINITY): Markup {
  return truncateAs(escapeMarkdown, normalizeText(text), limit);
}

/**
 * Escapes external text on one line, such as a name or a tag.
 * @category Texts
 * @example
 * ```ts
 * import { escapeName } from 'tallyhook/discord';
 *
 * escapeName('A very long name', 8);
 * ```
 */
export function escapeName(text: string, limit = Number.POSITIVE_INFINITY): Markup {
  return truncateAs(escapeMarkdown, plainName(text), limit);
}

/** Escapes external text that continues a line, where it can start neither a heading nor a list. */
export function escapeInline(text: string, limit = Number.POSITIVE_INFINITY): Markup {
  return truncateAs(escapeMarkers, plainName(text), limit);
}

/** A mention or timestamp without its end. */
const openToken = /(?<!\\)<[^<>\s]*$/;

/** Truncates markup. Removes a backslash whose escaped character was cut off, and half a mention or timestamp. */
export function cutMarkup(text: Markup, limit: number): Markup {
  if (text.length <= limit && !text.endsWith('\\')) return text;
  return truncateAs(
    (part) => asMarkup(part.replace(openToken, '').replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')),
    text,
    limit,
  );
}

/** Text that is markup already: a message of a catalogue, or of the owner's settings. Never for external text. */
export function trustedMarkup(text: string): Markup {
  return asMarkup(text);
}

function asMarkup(text: string): Markup {
  return text as Markup;
}

/** Punctuation that is markup anywhere in a line. */
const markers = /[\\*_~`|<[\]]/g;
/** Headings, quotes, lists and subtext at the start of a line; numbered lists start with a number and a dot. */
const lineMarkers = /^[#>-]/gm;
const numberedLine = /^(\d+)\./gm;
/** Escaping the colon before the slashes disables a link, escaping the dot disables an invite. */
const urlColon = /:(?=\/\/)/g;
const inviteDot = /(discord(?:app)?)\.(?=gg|com|io|me|li)/gi;
/** Discord parses mentions before escapes, so the sign and the name must be separated. */
const mentionSign = /@(?=\S)/g;
/** Each of the expressions above matches only text with one of these characters. Most names have none. */
const maybeMarkup = /[\\*_~`|<[\]#>\-.:@]/;

function escapeMarkdown(text: string): Markup {
  if (!maybeMarkup.test(text)) return asMarkup(text);
  return asMarkup(escapeMarkers(text).replace(lineMarkers, '\\$&').replace(numberedLine, '$1\\.'));
}

function escapeMarkers(text: string): Markup {
  if (!maybeMarkup.test(text)) return asMarkup(text);
  return asMarkup(
    text.replace(markers, '\\$&').replace(urlColon, '\\:').replace(inviteDot, '$1\\.').replace(mentionSign, '@\u200B'),
  );
}
