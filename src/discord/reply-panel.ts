import type { Panel, PanelBlock, Reply } from '../../commands/reply.ts';
import { bold, lines, link, markup } from '../texts/markup.ts';

/** The same content as a panel, for a message that consists of panels and can have no embeds. */
export function toPanel(reply: Reply): Panel {
  const {
    tone,
    colour,
    thumbnail,
    title,
    url,
    text,
    fields = [],
    footer,
    at,
    buttons = [],
    selects = [],
    files,
    image,
    response,
  } = reply;
  const blocks: PanelBlock[] = [
    thumbnail === undefined
      ? { kind: 'text', text: text ?? markup`` }
      : { kind: 'thumbnail', text: text ?? markup``, url: thumbnail, description: '' },
    ...fields.map(({ name, value }) => ({ kind: 'text' as const, text: lines(bold(name), value) })),
    ...(image === undefined ? [] : [imageBlock(image, files)]),
    ...selects.map((select) => ({ kind: 'select' as const, select })),
    { kind: 'buttons', buttons },
  ];
  return {
    kind: 'panel',
    tone,
    ...(colour === undefined ? {} : { colour }),
    ...(title === undefined ? {} : { title: link(title, url) }),
    blocks,
    ...(footer === undefined ? {} : { footer }),
    ...(at === undefined ? {} : { at }),
    ...(files === undefined ? {} : { files }),
    ...(response === undefined ? {} : { response }),
  };
}

function imageBlock(file: string, files: Reply['files'] = []): PanelBlock {
  return { kind: 'image', file, description: files.find(({ name }) => name === file)?.description ?? '' };
}
