import type { Panel, PanelBlock, Reply } from '../../src/discord/commands/reply.ts';
import { panel, renderHistoryEntry } from './results.ts';
import { button, listingOptions, type SetupView } from './view.ts';

const pageSize = 5;

/** The last changes, each with Undo. */
export async function renderHistory(view: SetupView): Promise<Panel> {
  const { services, texts, guildId, input } = view;
  const { history, buttons } = texts.setup;
  const before = Number(input.options['b'] ?? Number.NaN);
  const start = Number.isSafeInteger(before) && before > 0 ? before : null;
  const changes = await services.settings.changes(guildId, { before: start, limit: pageSize + 1 });
  const options = listingOptions(view);
  const blocks = changes.slice(0, pageSize).map((change): PanelBlock => {
    const text = renderHistoryEntry(change, view);
    if (change.undoneBy !== null) return { kind: 'text', text };
    return { kind: 'section', text, button: button(buttons.undo, 'undo', { ...options, id: change.id }) };
  });
  const last = changes[pageSize - 1];
  return panel('plain', history.title, changes.length === 0 ? [{ kind: 'text', text: history.none }] : blocks, [
    ...(start === null ? [] : [button(buttons.newest, 'history', options)]),
    ...(changes.length > pageSize && last !== undefined
      ? [button(buttons.older, 'history', { ...options, b: last.id })]
      : []),
    button(buttons.overview, 'overview', options),
  ]);
}

/** The stored settings as a file. */
export async function exportSettings({ services, guildId, texts }: SetupView): Promise<Reply> {
  const { files, buttons } = texts.setup;
  const content = new TextEncoder().encode(await services.settings.export(guildId));
  return {
    tone: 'plain',
    title: texts.setup.main.title,
    footer: files.exported,
    files: [{ name: 'tallyhook-settings.json', content, description: buttons.export }],
    response: 'new',
  };
}
