import { focusOn } from './discord-components.ts';

const controlSelector = 'discord-button, discord-link, discord-spoiler, select, summary, input, button';

/** Remembers which control of which message has the focus; call it when the list is redrawn, and the focus is there again. */
export function captureFocus(list: HTMLElement): () => void {
  const active = document.activeElement;
  const messageId = active?.closest<HTMLElement>('[data-message-id]')?.dataset['messageId'];
  if (active === null || messageId === undefined || !list.contains(active)) return () => {};
  const index = controlsOf(list, messageId).indexOf(active as HTMLElement);
  return () => {
    if (active.isConnected) return;
    const current = controlsOf(list, messageId);
    const sameControl = current[index];
    const next = sameControl && isUsable(sameControl) ? sameControl : current.find(isUsable);
    void focusOn(next ?? list);
  };
}

function controlsOf(list: HTMLElement, messageId: string): HTMLElement[] {
  const message = list.querySelector(`[data-message-id="${messageId}"]`);
  return [...(message?.querySelectorAll<HTMLElement>(controlSelector) ?? [])];
}

function isUsable(control: HTMLElement): boolean {
  return !control.hasAttribute('disabled');
}
