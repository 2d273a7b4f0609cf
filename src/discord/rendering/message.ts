import { bold, cutMarkup, lines, link, type Markup, markup, webAddress } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import {
  type APIComponentInContainer,
  type APIContainerComponent,
  type APIEmbed,
  type APIMessageTopLevelComponent,
  ComponentType,
  MessageFlags,
} from 'discord-api-types/v10';
import type { Panel, PanelBlock, Reply } from '../commands/reply.ts';
import {
  type Attachment,
  attachedNames,
  attachmentUrl,
  type ComponentRow,
  descriptionOf,
  keyOf,
  renderComponents,
  renderFiles,
} from './components.ts';
import { fairShare, panelLimits, renderContainer, toneColors } from './panel.ts';

/** Embeds, with the components below them. */
export interface EmbedContent {
  readonly embeds: APIEmbed[];
  readonly components: ComponentRow[];
}

/** Panels. The flag can never be removed from a message. */
export interface PanelContent {
  readonly flags: MessageFlags.IsComponentsV2;
  readonly components: APIMessageTopLevelComponent[];
}

export type MessageContent = EmbedContent | PanelContent;

/** A complete message in the form of Discord's API, except its files. It never pings anyone. */
export type MessageBody<Content extends MessageContent = MessageContent> = Content & {
  readonly files?: Attachment[];
  readonly allowed_mentions: { readonly parse: [] };
};

/** What a reply becomes on its own, or among others of its type. */
type ContentOf<Each extends Reply | Panel> = Each extends Panel ? PanelContent : EmbedContent;

/** Renders a message within Discord's limits. `command` is the command that its page buttons and actions run. */
export function renderReply<Each extends Reply | Panel>(reply: Each, command: string): MessageBody<ContentOf<Each>>;
export function renderReply(reply: Reply | Panel, command: string): MessageBody {
  return {
    ...renderMessage([reply], command),
    ...(reply.files?.length ? { files: renderFiles(reply.files) } : {}),
    allowed_mentions: { parse: [] },
  };
}

/**
 * Renders up to ten replies as one message, in which they share Discord's limits. If one of them is a panel, all become
 * panels, because such a message has no embeds. `command` is null for none. Files are to be sent with it.
 */
export function renderMessage<Each extends Reply | Panel>(
  replies: readonly Each[],
  command: string | null,
): ContentOf<Each>;
export function renderMessage(replies: readonly (Reply | Panel)[], command: string | null): MessageContent {
  const embedded = replies.flatMap((reply) => (isPanel(reply) ? [] : [reply]));
  if (embedded.length < replies.length) return renderPanels(replies.map(asPanel), command);
  const maxLength = Math.floor(embedLimits.total / replies.length);
  return {
    embeds: embedded.map((reply) => renderEmbed(reply, maxLength)),
    components: renderComponents(embedded, command),
  };
}

export function isPanel(reply: Reply | Panel): reply is Panel {
  return 'kind' in reply;
}

export function asPanel(reply: Reply | Panel): Panel {
  return isPanel(reply) ? reply : toPanel(reply);
}

/** A single panel contains its buttons and selects; several share theirs, each once, below all of them. */
function renderPanels(panels: readonly Panel[], command: string | null): PanelContent {
  const flags = MessageFlags.IsComponentsV2;
  const [only] = panels;
  if (panels.length === 1 && only !== undefined) return { flags, components: [renderContainer(only, command)] };

  const minComponents = 2 * panels.length;
  const rows = fittingRows(renderComponents(panels.map(controlsOf), command), panelLimits.components - minComponents);
  const keys = new Set(rows.flatMap(({ components }) => components.map(keyOf)));
  const components = Math.floor((panelLimits.components - countOf(rows)) / panels.length);
  const render = (maxLengthAt: (index: number) => number) => {
    const budget = { components, keys: new Set(keys) };
    return panels.map((panel, index) => renderContainer(withoutControls(panel), command, budget, maxLengthAt(index)));
  };
  return { flags, components: [...fitTexts(render, panels.length), ...rows] };
}

/**
 * Renders the containers of a message so that all texts fit together: short ones are complete. They are measured as they
 * are in this message, where a section or select that does not fit makes the text around it longer by its separators.
 * @param render renders all containers, each with a limit of characters
 */
function fitTexts(
  render: (maxLengthAt: (index: number) => number) => APIContainerComponent[],
  count: number,
): APIContainerComponent[] {
  const { texts } = panelLimits;
  const complete = render(() => texts);
  const lengths = complete.map((container) => lengthOf(container.components));
  if (sumOf(lengths) <= texts) return complete;
  const maxLength = fairShare(lengths, texts);
  const containers = render((index) => ((lengths[index] ?? 0) <= maxLength ? texts : maxLength));
  const length = sumOf(containers.map((container) => lengthOf(container.components)));
  // A text that is cut completely can leave room for a button, which a later container then cannot have, so that its
  // section becomes a longer text. Equal limits do not depend on the other containers.
  return length <= texts ? containers : render(() => Math.floor(texts / count));
}

function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Characters of a panel's texts, if it has a message to itself. All panels of a message have 4,000 together. */
export function textLengthOf(panel: Panel): number {
  return lengthOf(renderContainer(panel, null).components);
}

function lengthOf(components: readonly APIComponentInContainer[]): number {
  return components.reduce((sum, component) => {
    if (component.type === ComponentType.TextDisplay) return sum + component.content.length;
    return component.type === ComponentType.Section ? sum + lengthOf(component.components) : sum;
  }, 0);
}

/** The first rows, nested components included. */
function fittingRows(rows: readonly ComponentRow[], maxComponents: number): ComponentRow[] {
  return rows.filter((_, index) => countOf(rows.slice(0, index + 1)) <= maxComponents);
}

function countOf(rows: readonly ComponentRow[]): number {
  return rows.reduce((count, { components }) => count + 1 + components.length, 0);
}

function controlsOf({ blocks }: Panel): Pick<Reply, 'buttons' | 'selects'> {
  return {
    buttons: blocks.flatMap((block) => (block.kind === 'buttons' ? block.buttons : [])),
    selects: blocks.flatMap((block) => (block.kind === 'select' ? [block.select] : [])),
  };
}

function withoutControls(panel: Panel): Panel {
  return { ...panel, blocks: panel.blocks.filter(({ kind }) => kind !== 'buttons' && kind !== 'select') };
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

/**
 * A longer title has no link (characters): it counts as text, of which ten panels in one message have 400 characters
 * each, and half a link would be shown as it is written.
 */
const maxLinkedTitleLength = 120;

/** The same content as a panel, for a message that consists of panels and can have no embeds. */
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
