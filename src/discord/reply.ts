import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIButtonComponentWithURL,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { Reply, ReplyButton } from '../../commands/command.ts';
import { cutMarkup, type Markup, markup, plainName, webAddress } from '../texts/markup.ts';
import { encodeCustomId } from './command-input.ts';

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
/** Discord: "Button Structure", "Action Row". */
const buttonLimits = { label: 80, perRow: 5, rows: 5 };

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

type ButtonComponent = APIButtonComponentWithCustomId | APIButtonComponentWithURL;

/** The message content of a reply. It never pings anyone. */
export interface MessageBody {
  readonly embeds: APIEmbed[];
  readonly components: APIActionRowComponent<ButtonComponent>[];
  readonly allowedMentions: { readonly parse: [] };
}

/** Renders a reply within Discord's limits. `command` is the command that its page buttons run. */
export function renderReply(reply: Reply, command: string): MessageBody {
  return {
    embeds: [renderEmbed(reply)],
    components: renderButtons(reply.buttons ?? [], command),
    allowedMentions: { parse: [] },
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
  const isEmpty = title === '' && description === '' && fields.length === 0;
  return {
    color: colors[reply.tone],
    ...(title === '' ? {} : { title }),
    ...(url === null || title === '' ? {} : { url }),
    ...(description === '' && !isEmpty ? {} : { description: description || blank }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(footer === '' ? {} : { footer: { text: footer } }),
    ...(reply.at !== undefined && reply.at >= 0 && reply.at <= maxTimestamp
      ? { timestamp: new Date(reply.at).toISOString() }
      : {}),
  };
}

/** Leaves out buttons that Discord would reject: a reply without a button is better than no reply. */
function renderButtons(buttons: readonly ReplyButton[], command: string): APIActionRowComponent<ButtonComponent>[] {
  const components = buttons.map((button) => renderButton(button, command)).filter((button) => button !== null);
  const ids = components.map((button) => ('custom_id' in button ? button.custom_id : null));
  const distinct = components.filter((_, index) => ids[index] === null || ids.indexOf(ids[index] ?? null) === index);
  const rows = Math.min(buttonLimits.rows, Math.ceil(distinct.length / buttonLimits.perRow));
  return Array.from({ length: rows }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: distinct.slice(row * buttonLimits.perRow, (row + 1) * buttonLimits.perRow),
  }));
}

function renderButton(button: ReplyButton, command: string): ButtonComponent | null {
  const label = plainName(button.label, buttonLimits.label);
  if (label === '') return null;
  if (button.kind === 'link') {
    const url = webAddress(button.url);
    return url === null ? null : { type: ComponentType.Button, style: ButtonStyle.Link, label, url };
  }
  const id = encodeCustomId({ command, options: button.options });
  if (id === null) return null;
  return { type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id: id, disabled: button.disabled };
}
