import { render, type TemplateResult } from 'lit';

export { html, nothing, render, type TemplateResult } from 'lit';

/** The element of a template that has a single one. Text in templates is never markup, so external text cannot inject elements. */
export function toElement<Kind extends HTMLElement = HTMLElement>(template: TemplateResult): Kind {
  const fragment = document.createDocumentFragment();
  render(template, fragment);
  return fragment.firstElementChild as Kind;
}
