import { type Html, html } from './html.ts';

/** The result of the last action, shown once above the page. */
export interface FlashMessage {
  readonly tone: 'good' | 'plain' | 'bad';
  readonly text: string;
}

/**
 * Messages by the name that a redirect carries in `notice`. Free text is never accepted, since anybody could put it
 * into a link.
 */
export type FlashMessages = Readonly<Record<string, FlashMessage>>;

/** @param name the query parameter `notice` @returns null for an unknown name */
export function findFlashMessage(messages: FlashMessages, name: unknown): FlashMessage | null {
  return typeof name === 'string' && Object.hasOwn(messages, name) ? (messages[name] ?? null) : null;
}

export function flashMessage({ tone, text }: FlashMessage): Html {
  return html`<p class="notice ${tone}" role="status">${text}</p>`;
}
