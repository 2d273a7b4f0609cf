import type { APIEmbed, APIEmbedImage, AttachmentPayload } from 'discord.js';
import type { Reply, ReplyFile } from '../../commands/reply.ts';
import { cutMarkup, type Markup, markup, plainName, webAddress } from '../texts/markup.ts';
import { type ComponentRow, renderComponents } from './components.ts';

/** Discord: "Embed Limits" (characters; `fields` is a count). `total` is shared by all embeds of one message. */
const maxLengths = {
  title: 256,
  text: 4_096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1_024,
  footer: 2_048,
  total: 6_000,
};
/** Discord: "Uploading Files" (`count`) and "Attachment Object" (characters). */
const fileLimits = { count: 10, description: 1_024 };

const colors: Readonly<Record<Reply['tone'], number>> = {
  good: 0x57_f2_87,
  plain: 0x58_65_f2,
  wait: 0xfe_e7_5c,
  bad: 0xed_42_45,
};
/** A zero-width space: Discord rejects empty texts. */
const blank = '\u200B';
const empty = markup``;
/** The end of the year 9999, the last date that Discord accepts (ms since the epoch). */
const maxTimestamp = 253_402_300_799_999;

/** The message content of a reply. It never pings anyone. */
export interface MessageBody {
  readonly embeds: APIEmbed[];
  readonly components: ComponentRow[];
  readonly files?: AttachmentPayload[];
  readonly allowedMentions: { readonly parse: [] };
}

/** Renders a reply within Discord's limits. `command` is the command that its page buttons and actions run. */
export function renderReply(reply: Reply, command: string): MessageBody {
  return {
    ...renderMessage([reply], command),
    ...(reply.files?.length ? { files: reply.files.slice(0, fileLimits.count).map(renderFile) } : {}),
    allowedMentions: { parse: [] },
  };
}

/** Renders up to ten replies as one message, in which they share Discord's limits. `command` is null for none. */
export function renderMessage(
  replies: readonly Reply[],
  command: string | null,
): Pick<MessageBody, 'embeds' | 'components'> {
  const maxLength = Math.floor(maxLengths.total / replies.length);
  return {
    embeds: replies.map((reply) => renderEmbed(reply, maxLength)),
    components: renderComponents(replies, command),
  };
}

/** @param maxLength characters in this embed, of the 6,000 of a message */
export function renderEmbed(reply: Reply, maxLength = maxLengths.total): APIEmbed {
  let remaining = maxLength - blank.length;
  const take = (text: Markup | undefined, limit: number) => spend(cutMarkup(text ?? empty, Math.min(limit, remaining)));
  const spend = (text: string) => {
    remaining -= text.length;
    return text;
  };
  const title = take(reply.title, maxLengths.title);
  const footer = spend(plainName(reply.footer ?? '', Math.min(maxLengths.footer, remaining)));
  const description = take(reply.text, maxLengths.text);
  const fields = (reply.fields ?? []).slice(0, maxLengths.fields).flatMap(({ name, value, inline = false }) => {
    if (remaining < 2 * blank.length) return [];
    const renderedName = take(name, Math.min(maxLengths.fieldName, remaining - blank.length)) || spend(blank);
    return [{ name: renderedName, value: take(value, maxLengths.fieldValue) || spend(blank), inline }];
  });
  const url = webAddress(reply.url);
  const image = reply.files?.find(({ name }) => name === reply.image);
  const isEmpty = title === '' && description === '' && fields.length === 0;
  return {
    color: colors[reply.tone],
    ...(title === '' ? {} : { title }),
    ...(url === null || title === '' ? {} : { url }),
    ...(description === '' && !isEmpty ? {} : { description: description || blank }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(image === undefined ? {} : { image: renderImage(image) }),
    ...(footer === '' ? {} : { footer: { text: footer } }),
    ...(reply.at !== undefined && reply.at >= 0 && reply.at <= maxTimestamp
      ? { timestamp: new Date(reply.at).toISOString() }
      : {}),
  };
}

/** The description of an attachment is not shown where an embed shows the attachment. */
function renderImage({ name, description }: ReplyFile): APIEmbedImage {
  const altText = description === undefined ? {} : { description: plainName(description, fileLimits.description) };
  return { url: `attachment://${name}`, ...altText };
}

function renderFile({ name, content, description }: ReplyFile): AttachmentPayload {
  return {
    name,
    attachment: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    ...(description === undefined ? {} : { description: plainName(description, fileLimits.description) }),
  };
}
