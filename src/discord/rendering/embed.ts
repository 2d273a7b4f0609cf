import type { APIEmbed } from 'discord.js';
import { plainName } from '../../platform/truncate.ts';
import { cutMarkup, type Markup, markup, webAddress } from '../../texts/markup.ts';
import type { Reply } from '../commands/reply.ts';
import { attachedNames, attachmentUrl, descriptionOf } from './attachments.ts';
import { toneColors } from './tone-colors.ts';

/** Discord: "Embed Limits" (characters; `fields` is a count). `total` is shared by all embeds of one message. */
export const embedLimits = {
  title: 256,
  text: 4_096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1_024,
  footer: 2_048,
  total: 6_000,
};
/** A zero-width space: Discord rejects empty texts. */
const blank = '\u200B';
const empty = markup``;
/** The end of the year 9999, the last date that Discord accepts (ms since the epoch). */
const maxTimestamp = 253_402_300_799_999;

/** @param maxLength characters in this embed, of the 6,000 of a message */
export function renderEmbed(reply: Reply, maxLength = embedLimits.total): APIEmbed {
  let remaining = maxLength - blank.length;
  const take = (text: Markup | undefined, limit: number) => spend(cutMarkup(text ?? empty, Math.min(limit, remaining)));
  const spend = (text: string) => {
    remaining -= text.length;
    return text;
  };
  const title = take(reply.title, embedLimits.title);
  const footer = spend(plainName(reply.footer ?? '', Math.min(embedLimits.footer, remaining)));
  const description = take(reply.text, embedLimits.text);
  const fields = (reply.fields ?? []).slice(0, embedLimits.fields).flatMap(({ name, value, inline = false }) => {
    if (remaining < 2 * blank.length) return [];
    const renderedName = take(name, Math.min(embedLimits.fieldName, remaining - blank.length)) || spend(blank);
    return [{ name: renderedName, value: take(value, embedLimits.fieldValue) || spend(blank), inline }];
  });
  const url = webAddress(reply.url);
  const isEmpty = title === '' && description === '' && fields.length === 0;
  const thumbnail = webAddress(reply.thumbnail?.url);
  // The description of an attachment is not shown where an embed shows the attachment.
  const image = reply.files?.find(({ name }) => name === reply.image && attachedNames(reply.files).includes(name));
  return {
    color: reply.colour ?? toneColors[reply.tone],
    ...(title === '' ? {} : { title }),
    ...(url === null || title === '' ? {} : { url }),
    ...(description === '' && !isEmpty ? {} : { description: description || blank }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(thumbnail === null ? {} : { thumbnail: { url: thumbnail } }),
    ...(image === undefined ? {} : { image: { url: attachmentUrl(image.name), ...descriptionOf(image.description) } }),
    ...(footer === '' ? {} : { footer: { text: footer } }),
    ...(reply.at !== undefined && reply.at >= 0 && reply.at <= maxTimestamp
      ? { timestamp: new Date(reply.at).toISOString() }
      : {}),
  };
}
