import { bold, lines, link, type Markup, markup } from '@tallyhook/platform/texts/markup';
import type { Panel, PanelBlock, Reply } from '../commands/reply.ts';

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
