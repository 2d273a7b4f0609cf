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
import { encodeCustomId } from './custom-id.ts';

/** Discord: "Embed Limits". All embeds of one message share the last of them. */
const most = { title: 256, text: 4_096, fields: 25, fieldName: 256, fieldValue: 1_024, footer: 2_048, whole: 6_000 };
/** Discord: "Button Structure", "Action Row". */
const mostButtons = { label: 80, inRow: 5, rows: 5 };

const colors: Readonly<Record<Reply['tone'], number>> = {
  good: 0x57_f2_87,
  plain: 0x58_65_f2,
  wait: 0xfe_e7_5c,
  bad: 0xed_42_45,
};
/** Discord refuses an empty field; this one only looks empty. */
const blank = '\u200B';
const none = markup``;
/** The end of the year 9999: Discord reads no dates beyond it (ms since the epoch). */
const lastMoment = 253_402_300_799_999;

type DrawnButton = APIButtonComponentWithCustomId | APIButtonComponentWithURL;

/** The parts of a message that show a reply. Nobody is pinged, whatever it says. */
export interface MessageBody {
  readonly embeds: APIEmbed[];
  readonly components: APIActionRowComponent<DrawnButton>[];
  readonly allowedMentions: { readonly parse: [] };
}

/** Draws a reply within Discord's limits, whatever is in it. `command` is the one that its page buttons come back to. */
export function renderReply(reply: Reply, command: string): MessageBody {
  return {
    embeds: [renderEmbed(reply)],
    components: drawButtons(reply.buttons ?? [], command),
    allowedMentions: { parse: [] },
  };
}

/** `room` is how many of the 6,000 characters this embed may take. */
export function renderEmbed(reply: Reply, room = most.whole): APIEmbed {
  let left = room - blank.length;
  const take = (text: Markup | undefined, limit: number) => spend(cutMarkup(text ?? none, Math.min(limit, left)));
  const spend = (text: string) => {
    left -= text.length;
    return text;
  };
  const title = take(reply.title, most.title);
  const footer = spend(plainName(reply.footer ?? '', Math.min(most.footer, left)));
  const description = take(reply.text, most.text);
  const fields = (reply.fields ?? []).slice(0, most.fields).flatMap(({ name, value, inline = false }) => {
    if (left < 2 * blank.length) return [];
    const drawnName = take(name, Math.min(most.fieldName, left - blank.length)) || spend(blank);
    return [{ name: drawnName, value: take(value, most.fieldValue) || spend(blank), inline }];
  });
  const url = webAddress(reply.url);
  const isBare = title === '' && description === '' && fields.length === 0;
  return {
    color: colors[reply.tone],
    ...(title === '' ? {} : { title }),
    ...(url === null || title === '' ? {} : { url }),
    ...(description === '' && !isBare ? {} : { description: description || blank }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(footer === '' ? {} : { footer: { text: footer } }),
    ...(reply.at !== undefined && reply.at >= 0 && reply.at <= lastMoment
      ? { timestamp: new Date(reply.at).toISOString() }
      : {}),
  };
}

/** Buttons that Discord would refuse are left out: an answer without a button is better than none. */
function drawButtons(buttons: readonly ReplyButton[], command: string): APIActionRowComponent<DrawnButton>[] {
  const drawn = buttons.map((button) => drawButton(button, command)).filter((button) => button !== null);
  const ids = drawn.map((button) => ('custom_id' in button ? button.custom_id : null));
  const distinct = drawn.filter((_, place) => ids[place] === null || ids.indexOf(ids[place] ?? null) === place);
  const rows = Array.from({ length: mostButtons.rows }, (_, row) =>
    distinct.slice(row * mostButtons.inRow, (row + 1) * mostButtons.inRow),
  );
  return rows.filter((row) => row.length > 0).map((components) => ({ type: ComponentType.ActionRow, components }));
}

function drawButton(button: ReplyButton, command: string): DrawnButton | null {
  const label = plainName(button.label, mostButtons.label);
  if (label === '') return null;
  if (button.kind === 'link') {
    const url = webAddress(button.url);
    return url === null ? null : { type: ComponentType.Button, style: ButtonStyle.Link, label, url };
  }
  const id = encodeCustomId({ command, options: button.options });
  if (id === null) return null;
  return { type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id: id, disabled: button.disabled };
}
