import { day } from '@tallyhook/platform/durations';
import {
  bold,
  cutMarkup,
  escapeInline,
  joined,
  lines,
  link,
  type Markup,
  markup,
  timestamp,
  webAddress,
} from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import {
  type APIComponentInContainer,
  type APIContainerComponent,
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APISectionComponent,
  ComponentType,
  MessageFlags,
} from 'discord-api-types/v10';
import type { Panel, PanelBlock, Reply, ReplyButton } from '../commands/reply.ts';
import {
  type Attachment,
  attachedNames,
  attachmentUrl,
  type ComponentRow,
  descriptionOf,
  keyOf,
  maxButtonsPerRow,
  renderButton,
  renderComponents,
  renderFiles,
  renderReplySelect,
  rowOf,
} from './components.ts';

interface EmbedContent {
  readonly embeds: APIEmbed[];
  readonly components: ComponentRow[];
}

/** Panels. The flag can never be removed from a message. */
interface PanelContent {
  readonly flags: MessageFlags.IsComponentsV2;
  readonly components: APIMessageTopLevelComponent[];
}

type MessageContent = EmbedContent | PanelContent;

/** A complete message in the form of Discord's API, except its files. It never pings anyone. */
export type MessageBody<Content extends MessageContent = MessageContent> = Content & {
  readonly files?: Attachment[];
  readonly allowed_mentions: { readonly parse: [] };
};

type ContentOf<Each extends Reply | Panel> = Each extends Panel ? PanelContent : EmbedContent;

/** Renders a message within Discord's limits. `command` is the command that its page buttons and actions run. */
export function renderReply<Each extends Reply | Panel>(reply: Each, command: string): MessageBody<ContentOf<Each>>;
export function renderReply(reply: Reply | Panel, command: string): MessageBody {
  return {
    ...renderMessage(isPanel(reply) ? reply : [reply], command),
    ...(reply.files?.length ? { files: renderFiles(reply.files) } : {}),
    allowed_mentions: { parse: [] },
  };
}

/**
 * Renders a panel, or up to ten replies as one message, in which they share Discord's limits. `command` is null for none.
 * Files are to be sent with it.
 */
export function renderMessage(shown: Panel | readonly Reply[], command: string | null): MessageContent {
  if (isPanel(shown)) return { flags: MessageFlags.IsComponentsV2, components: [renderContainer(shown, command)] };
  const maxLength = Math.floor(embedLimits.total / shown.length);
  return {
    embeds: shown.map((reply) => renderEmbed(reply, maxLength)),
    components: renderComponents(shown, command),
  };
}

export function isPanel(shown: Reply | Panel | readonly Reply[]): shown is Panel {
  return 'kind' in shown;
}

export function asPanel(reply: Reply | Panel): Panel {
  return isPanel(reply) ? reply : toPanel(reply);
}

/** Discord: "Embed Limits" (characters; `fields` is a count). `total` is shared by all embeds of one message. */
export const embedLimits = {
  title: 256,
  text: 4_096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1_024,
  footer: 2_048,
  author: 256,
  total: 6_000,
};
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
  const author = spend(plainName(reply.author?.name ?? '', Math.min(embedLimits.author, remaining)));
  const pictureUrl = webAddress(reply.author?.pictureUrl);
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
    ...(author === '' ? {} : { author: { name: author, ...(pictureUrl === null ? {} : { icon_url: pictureUrl }) } }),
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

/** A longer title has no link (characters): it counts as text, and half a link would be shown as it is written. */
const maxLinkedTitleLength = 120;

/** A reply as a panel, for a message that consists of panels and can have no embeds. */
export function toPanel(reply: Reply): Panel {
  const { thumbnail, title, url, text = markup``, fields = [], buttons = [], selects = [], image, ...others } = reply;
  const { author: _author, later: _later, ...kept } = others;
  const blocks: PanelBlock[] = [
    thumbnail === undefined ? { kind: 'text', text } : { kind: 'thumbnail', text, ...thumbnail },
    ...fields.map(({ name, value }) => ({ kind: 'text' as const, text: lines(bold(name), value) })),
    ...(image === undefined ? [] : [imageBlock(image, kept.files)]),
    ...selects.map((select) => ({ kind: 'select' as const, select })),
    { kind: 'buttons', buttons },
  ];
  return { ...kept, kind: 'panel', ...(title !== undefined && { title: linkedTitle(title, url) }), blocks };
}

function linkedTitle(title: Markup, url: string | undefined): Markup {
  const linked = link(title, url);
  return linked.length <= maxLinkedTitleLength ? linked : title;
}

function imageBlock(file: string, files: Reply['files'] = []): PanelBlock {
  return { kind: 'image', file, description: files.find(({ name }) => name === file)?.description ?? '' };
}

/** The colour beside an embed or panel (RGB). */
const toneColors: Readonly<Record<Reply['tone'], number>> = {
  good: 0x57_f2_87,
  plain: 0x58_65_f2,
  wait: 0xfe_e7_5c,
  bad: 0xed_42_45,
};
/** Discord: "Component Reference": all components of a message, and the characters of all its texts. */
const panelLimits = { components: 40, texts: 4_000 };
/** Further blocks would not fit anyway (count). */
const maxBlocks = 100;
const maxTitleLength = 256;
const maxFooterLength = 200;
const titleMark = '### ';
/** Between texts of one text display. */
const lineBreak = '\n';
const paragraph = '\n\n';
/** The mark of small text, and two times with their separators. */
const footerOverhead = '-# '.length + ' · <t:-8640000000000:f>'.length + ' – <t:-8640000000000:f>'.length;
/** The last time of JavaScript's dates (ms since the epoch). */
const maxTime = 8.64e15;

/**
 * Renders a panel within Discord's limits: truncates texts, and leaves out what does not fit and what Discord would
 * reject. The footer is above the buttons and selects at the end.
 * @param command the command of page buttons and actions; null outside a command, where an action names its command
 */
export function renderContainer(panel: Panel, command: string | null): APIContainerComponent {
  const maxLength = panelLimits.texts;
  const blocks = panel.blocks.slice(0, maxBlocks);
  const footer = renderFooter(panel.footer, panel, Math.floor(maxLength / 2));
  const title = renderTitle(panel.title, Math.floor(maxLength / 3));
  const textLimit = textLimitOf(blocks, maxLength - title.length - footer.length - 2 * lineBreak.length);
  const builder = createContainerBuilder(footer);
  const names = attachedNames(panel.files);

  builder.addText(title, lineBreak);
  const context = { textLimit, command, names };
  const controlsAt = blocks.findLastIndex(({ kind }) => kind !== 'buttons' && kind !== 'select') + 1;
  for (const block of blocks.slice(0, controlsAt)) addBlock(builder, block, context);
  const images = blocks.flatMap((block) => (block.kind === 'image' ? [block.file] : []));
  // Discord shows a file of such a message only in a component.
  for (const name of names.filter((each) => !images.includes(each))) {
    builder.add({ type: ComponentType.File, file: { url: attachmentUrl(name) } }, 1);
  }
  builder.addFooter();
  for (const block of blocks.slice(controlsAt)) addBlock(builder, block, context);
  const accent_color = panel.colour ?? toneColors[panel.tone];
  return { type: ComponentType.Container, accent_color, components: builder.finish() };
}

/**
 * The last line of a panel's texts, by which its message is found again. Empty without a text and a time.
 * @param time when the event was (ms since the epoch); the hour is enough for the end of a period within a day
 */
export function renderFooter(
  text: string | undefined,
  { at, since }: Pick<Panel, 'at' | 'since'>,
  maxLength = maxFooterLength,
): string {
  const room = Math.min(maxFooterLength, maxLength) - footerOverhead;
  const isTime = at !== undefined && Math.abs(at) <= maxTime;
  const end = isTime ? timestamp(at, since !== undefined && at - since < day ? 't' : 'f') : null;
  const start = isTime && since !== undefined ? timestamp(since, 'f') : null;
  const line = joined([escapeInline(text ?? '', room), joined([start, end], ' – ')], ' · ');
  return line === '' ? '' : `-# ${line}`;
}

function renderTitle(title: Markup | undefined, maxLength: number): string {
  const text = cutMarkup(title ?? markup``, Math.min(maxTitleLength, maxLength - titleMark.length));
  return text.trim() === '' ? '' : titleMark + text;
}

/** The most characters of each text, so that all fit together. */
function textLimitOf(blocks: readonly PanelBlock[], maxLength: number): number {
  const lengths = blocks.flatMap((block) => ('text' in block ? [block.text.length] : []));
  return fairShare(lengths, maxLength - lengths.length * paragraph.length);
}

/** Divides characters among texts: short ones stay complete, long ones share the rest. Returns the most of any. */
function fairShare(lengths: readonly number[], total: number): number {
  let remaining = Math.max(0, total);
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(remaining / (sorted.length - index));
    if (length > share) return share;
    remaining -= length;
  }
  return sorted.at(-1) ?? 0;
}

interface BlockContext {
  /** Characters. */
  readonly textLimit: number;
  readonly command: string | null;
  readonly names: readonly string[];
}

function addBlock(builder: ContainerBuilder, block: PanelBlock, { textLimit, command, names }: BlockContext): void {
  switch (block.kind) {
    case 'text':
      builder.addText(cutMarkup(block.text, textLimit), paragraph);
      break;
    case 'section':
      addSection(builder, cutMarkup(block.text, textLimit), block.button, command);
      break;
    case 'thumbnail':
      addThumbnail(builder, cutMarkup(block.text, textLimit), block);
      break;
    case 'image':
      if (names.includes(block.file)) addImage(builder, attachmentUrl(block.file), block.description);
      break;
    case 'separator':
      builder.add({ type: ComponentType.Separator }, 1);
      break;
    case 'select': {
      const select = renderReplySelect(block.select, command);
      if (select !== null) builder.add(rowOf([select]), 2, [keyOf(select)]);
      break;
    }
    case 'buttons':
      addButtons(builder, block.buttons, command);
      break;
  }
}

/** Adds a section: without its button it is a text, without its text a button. */
function addSection(builder: ContainerBuilder, content: string, button: ReplyButton, command: string | null): void {
  if (content.trim() === '') {
    addButtons(builder, [button], command);
    return;
  }
  const accessory = renderButton(button, command);
  const isAdded = accessory !== null && builder.add(sectionOf(content, accessory), 3, [keyOf(accessory)]);
  if (!isAdded) builder.addText(content, paragraph);
}

/** Adds a thumbnail: without its picture it is a text, without its text a picture. */
function addThumbnail(
  builder: ContainerBuilder,
  content: string,
  { url, description }: Extract<PanelBlock, { kind: 'thumbnail' }>,
): void {
  const address = webAddress(url);
  if (address === null) builder.addText(content, paragraph);
  else if (content.trim() === '') addImage(builder, address, description);
  else {
    const accessory = {
      type: ComponentType.Thumbnail as const,
      media: { url: address },
      ...descriptionOf(description),
    };
    if (!builder.add(sectionOf(content, accessory), 3)) builder.addText(content, paragraph);
  }
}

function sectionOf(content: string, accessory: APISectionComponent['accessory']): APISectionComponent {
  return { type: ComponentType.Section, components: [{ type: ComponentType.TextDisplay, content }], accessory };
}

function addImage(builder: ContainerBuilder, url: string, description: string): void {
  const items = [{ media: { url }, ...descriptionOf(description) }];
  builder.add({ type: ComponentType.MediaGallery, items }, 1);
}

/** In rows of five. */
function addButtons(builder: ContainerBuilder, buttons: readonly ReplyButton[], command: string | null): void {
  const rendered = buttons.map((button) => renderButton(button, command)).filter((button) => button !== null);
  const distinct = new Map(rendered.map((button) => [keyOf(button), button]));
  const shown = [...distinct.values()].filter((button) => !builder.isUsed(keyOf(button)));
  for (let start = 0; start < shown.length; start += maxButtonsPerRow) {
    const row = shown.slice(start, start + Math.min(maxButtonsPerRow, builder.room() - 1));
    if (row.length > 0) builder.add(rowOf(row), 1 + row.length, row.map(keyOf));
  }
}

/** A zero-width space: Discord rejects empty texts and containers. */
const blank = '\u200B';

/** Collects the components of a container within Discord's limits. Adjacent texts become one text display. */
type ContainerBuilder = ReturnType<typeof createContainerBuilder>;

/** @param footer empty for none */
function createContainerBuilder(footer: string) {
  /** Custom ids of the buttons and selects: Discord accepts each once. */
  const used = new Set<string>();
  const components: APIComponentInContainer[] = [];
  /** The text display to which texts are added. */
  let open: { content: string; separator: string } | null = null;
  let reserved = footer === '' ? 0 : 1;
  let room = panelLimits.components - 1 - reserved;

  function close(): void {
    if (open !== null) components.push({ type: ComponentType.TextDisplay, content: open.content });
    open = null;
  }

  return {
    /** Adds a component that counts as `count`, with these keys. False if it does not fit or a key is used already. */
    add(component: APIComponentInContainer, count: number, keys: readonly string[] = []): boolean {
      if (count > room || keys.some((key) => used.has(key))) return false;
      close();
      room -= count;
      for (const key of keys) used.add(key);
      components.push(component);
      return true;
    },
    /** Adds a text; `separator` is put between it and an adjacent text that follows. Empty texts are left out. */
    addText(text: string, separator: string): void {
      if (text.trim() === '') return;
      if (open !== null) {
        open = { content: open.content + open.separator + text, separator };
        return;
      }
      if (room > 0) room -= 1;
      // No other component fits any more, so that the footer will be part of this text display.
      else if (reserved > 0) reserved -= 1;
      else return;
      open = { content: text, separator };
    },
    /** Components that still fit. */
    room: () => room,
    isUsed: (key: string) => used.has(key),
    /** Adds the footer on a line of its own. Until then there is always room for it. */
    addFooter(): void {
      if (footer === '') return;
      if (open !== null) room += reserved;
      reserved = 0;
      open = { content: open === null ? footer : `${open.content}\n${footer}`, separator: '\n' };
    },
    finish(): APIComponentInContainer[] {
      close();
      const shown = components.filter(({ type }, index) => type !== ComponentType.Separator || divides(index));
      return shown.length === 0 ? [{ type: ComponentType.TextDisplay, content: blank }] : shown;
    },
  };

  function divides(index: number): boolean {
    const isLast = components.slice(index).every(({ type }) => type === ComponentType.Separator);
    return index > 0 && components[index - 1]?.type !== ComponentType.Separator && !isLast;
  }
}
