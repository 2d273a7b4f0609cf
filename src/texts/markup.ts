/**
 * Discord's markup, made safe by its type: a `Markup` is a text that Discord draws as we meant it. Foreign text becomes one only by
 * {@link escapeText} or {@link escapeName}, so a voter's name or a review can neither ping, link, nor dress itself up as our own words.
 * All lengths are UTF-16 units, which is what Discord's limits count.
 */
declare const safe: unique symbol;
/** Text that Discord draws as we meant it. Only what is in this file makes one. */
export type Markup = string & { readonly [safe]: true };

/** Our own words around safe parts: markup`${mention(id)} has ${grouped(7)} credits`. */
export function markup(words: TemplateStringsArray, ...parts: readonly Markup[]): Markup {
  return asMarkup(String.raw({ raw: words }, ...parts));
}

/** The parts that are there, with something of ours between them. */
export function joined(parts: readonly (Markup | null | undefined)[], between: string): Markup {
  return asMarkup(parts.filter((part) => part).join(between));
}

/** The parts that are there, one under the other. */
export function lines(...parts: readonly (Markup | null | undefined)[]): Markup {
  return joined(parts, '\n');
}

/** The same part so many times. */
export function repeated(part: Markup, times: number): Markup {
  return asMarkup(part.repeat(times));
}

export function bold(text: Markup): Markup {
  return text.trim() === '' ? text : markup`**${text}**`;
}

/** Small grey print, on a line of its own. */
export function subtext(text: Markup): Markup {
  return markup`-# ${text}`;
}

/** A named link; the plain label where the address is none that a browser should open. */
export function link(label: Markup, url: string | null | undefined): Markup {
  const address = webAddress(url);
  return address === null || label.trim() === '' ? label : asMarkup(`[${label}](${address})`);
}

/** An address as Discord accepts it in links and buttons: http or https, at most 512 units, without what would end it early; else null. */
export function webAddress(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:';
  const address = parsed.href.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
  return isWeb && parsed.username === '' && parsed.password === '' && address.length <= 512 ? address : null;
}

/** Discord: "Timestamp Styles". R is relative ("in 3 hours"), f a short date with time, D a long date. */
export type TimestampStyle = 'R' | 'f' | 'F' | 'D' | 'd' | 'T' | 't';

/** A moment (ms since the epoch) that every reader sees in a time zone and language of their own. */
export function timestamp(ms: number, style: TimestampStyle): Markup {
  return asMarkup(`<t:${Math.floor(ms / 1_000)}:${style}>`);
}

/** Names a user. Whether it pings is for `allowed_mentions` to say. An id that is none is shown as text. */
export function mention(userId: string): Markup {
  return /^\d{1,20}$/.test(userId) ? asMarkup(`<@${userId}>`) : escapeName(userId, 32);
}

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number in full digits with grouping: 1,234,567. */
export function grouped(count: number): Markup {
  return asMarkup(digits.format(count));
}

/** Foreign text that may have several lines, so that it reads as it was written and does nothing else. */
export function escapeText(foreign: string, limit = Number.POSITIVE_INFINITY): Markup {
  return fitted(tidyText(foreign), limit, defuse);
}

/** Foreign text on one line: a name, a tag. */
export function escapeName(foreign: string, limit = Number.POSITIVE_INFINITY): Markup {
  return fitted(plainName(foreign), limit, defuse);
}

/** Foreign text on one line for places that draw no markup (footers, labels). */
export function plainName(foreign: string, limit = Number.POSITIVE_INFINITY): string {
  return cut(tidyText(foreign).replace(/\s+/g, ' '), limit);
}

/** The text, or as many whole graphemes of it as fit with an ellipsis into `limit`. */
export function cut(text: string, limit: number): string {
  return fitted(text, limit, (whole) => whole);
}

/** Markup cut to a limit; an escape that the cut left without its character goes too. */
export function cutMarkup(text: Markup, limit: number): Markup {
  return fitted(text, limit, (part) => asMarkup(part.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')));
}

function asMarkup(text: string): Markup {
  return text as Markup;
}

const ellipsis = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest beginning, cut between graphemes, whose drawn form fits. */
function fitted<Drawn extends string>(text: string, limit: number, draw: (text: string) => Drawn): Drawn {
  const whole = draw(text);
  if (whole.length <= limit) return whole;
  if (limit < ellipsis.length) return '' as Drawn;
  const drawTo = (end: number) => draw(text.slice(0, end).trimEnd());
  // More text is never drawn shorter, so halving finds how much fits; the escape that a cut leaves behind is all that drawing takes away.
  let [fitting, tooMuch] = [0, Math.min(text.length, limit) + 1];
  while (tooMuch - fitting > 1) {
    const middle = Math.floor((fitting + tooMuch) / 2);
    if (drawTo(middle).length + ellipsis.length <= limit) fitting = middle;
    else tooMuch = middle;
  }
  const border = graphemes.segment(text).containing(fitting)?.index ?? fitting;
  return `${drawTo(border)}${ellipsis}` as Drawn;
}

/** Characters that are not seen: controls, direction marks, zero widths, fillers; not what joins or colours an emoji. */
const unseen =
  /(?![\n\t]|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<!\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)\u200D|\u200D(?!\p{Extended_Pictographic})/gu;
const combiningFlood = /(\p{M}{4})\p{M}+/gu;

/** More than Discord shows anywhere (6,000); what is beyond is not even looked at. */
const longest = 16_384;
/** Words of plain letters, digits and signs with single spaces between them: most texts, and nothing in them to tidy. */
const tidy = /^[!-~]+(?: [!-~]+)*$/;

function tidyText(foreign: string): string {
  if (foreign.length <= longest && tidy.test(foreign)) return foreign;
  return foreign
    .slice(0, longest)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(unseen, '')
    .replace(combiningFlood, '$1')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Punctuation that Discord reads as markup anywhere in a line. */
const markers = /[\\*_~`|<[\]]/g;
/** Headings, quotes, lists and subtext begin a line with these; so do numbers with a dot. */
const lineMarkers = /^[#>-]/gm;
const numberedLine = /^(\d+)\./gm;
/** An address is a link only while its colon and slashes stand together, an invite only with its dot. */
const addressColon = /:(?=\/\/)/g;
const inviteDot = /(discord(?:app)?)\.(?=gg|com|io|me|li)/gi;
/** Discord looks for mentions before it looks for escapes, so the sign and the name must not touch. */
const mentionSign = /@(?=\S)/g;

function defuse(text: string): Markup {
  return asMarkup(
    text
      .replace(markers, '\\$&')
      .replace(lineMarkers, '\\$&')
      .replace(numberedLine, '$1\\.')
      .replace(addressColon, '\\:')
      .replace(inviteDot, '$1\\.')
      .replace(mentionSign, '@\u200B'),
  );
}
