import { focusOn } from './discord-components.ts';

const controls = 'discord-button, discord-link, discord-spoiler, select, summary, input, button';

/** Remembers which control of which message has the focus; call it when the list is redrawn, and the focus is there again. */
export function focusKeeper(list: HTMLElement): () => void {
  const active = document.activeElement;
  const messageId = active?.closest<HTMLElement>('[data-message-id]')?.dataset['messageId'];
  if (active === null || messageId === undefined || !list.contains(active)) return () => {};
  const index = controlsOf(list, messageId).indexOf(active as HTMLElement);
  return () => {
    if (active.isConnected) return;
    const now = controlsOf(list, messageId);
    const wanted = now[index];
    const next = wanted && isUsable(wanted) ? wanted : now.find(isUsable);
    void focusOn(next ?? list);
  };
}

function controlsOf(list: HTMLElement, messageId: string): HTMLElement[] {
  const message = list.querySelector(`[data-message-id="${messageId}"]`);
  return [...(message?.querySelectorAll<HTMLElement>(controls) ?? [])];
}

function isUsable(control: HTMLElement): boolean {
  return !control.hasAttribute('disabled');
}
