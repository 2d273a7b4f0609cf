import { render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

export { html, nothing, render, type TemplateResult, toElement } from '../../web/browser/element.ts';

/** The element with this id, which index.html contains. @throws Error if it is missing */
export function findById<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const existing = document.getElementById(id);
  if (existing === null) throw new Error(`Missing element: #${id}`);
  return existing as Kind;
}

export interface KeyedTemplate {
  readonly key: string;
  readonly template: TemplateResult;
}

/** Renders a list. An item keeps its element, and with it the focus, while its key is in the list. */
export function renderKeyed(items: readonly KeyedTemplate[], list: HTMLElement): void {
  const keyOf = ({ key }: KeyedTemplate) => key;
  render(
    repeat(items, keyOf, ({ template }) => template),
    list,
  );
}
