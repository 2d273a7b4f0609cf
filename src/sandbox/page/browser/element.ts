type Value = string | number | boolean | null | undefined | ((event: never) => unknown);

/**
 * Makes an element. Text becomes text nodes, never markup, so that nothing foreign can become part of the page's structure.
 *
 * @param attributes functions are listeners, as in `onclick`; true is an attribute without a value, false and nothing leave it out
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly (Node | string | null)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') created.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) created.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) created.setAttribute(name, `${value}`);
  }
  created.append(...children.filter((child) => child !== null));
  return created;
}

/** The element with an id that the page is sure to have. */
export function findById<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const existing = document.getElementById(id);
  if (existing === null) throw new Error(`The page has no #${id}`);
  return existing as Kind;
}
