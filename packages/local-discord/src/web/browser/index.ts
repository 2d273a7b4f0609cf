/**
 * Discord's messages as elements of a page, for scripts in the browser.
 * @module
 */

export { styleComponents } from './discord-components.ts';
export { html, nothing, toElement } from './element.ts';
export { type MessageDisplay, messageElement } from './message.ts';
export type { MessageView, ShownMessage } from './shown-message.ts';
