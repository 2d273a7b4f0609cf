import type { Panel, Reply, ReplyButton, ReplySelect } from '../../src/discord/commands/reply.ts';

/** The texts of a reply or a panel, without its title and footer. */
export function textOf(reply: Reply | Panel): string {
  if (!('kind' in reply)) return reply.text ?? '';
  return reply.blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n\n');
}

/** All buttons of a reply or a panel, in order. */
export function buttonsOf(reply: Reply | Panel): readonly ReplyButton[] {
  if (!('kind' in reply)) return reply.buttons ?? [];
  return reply.blocks.flatMap((block) => {
    if (block.kind === 'section') return [block.button];
    return block.kind === 'buttons' ? block.buttons : [];
  });
}

export function selectsOf(reply: Reply | Panel): readonly ReplySelect[] {
  if (!('kind' in reply)) return reply.selects ?? [];
  return reply.blocks.flatMap((block) => (block.kind === 'select' ? [block.select] : []));
}
