type Value = string | number | boolean | null | undefined | ((event: never) => unknown);

/**
 * Creates an element. Text becomes text nodes, never markup, so external text cannot inject elements.
 *
 * @param attributes functions are event listeners, as in `onclick`; true is an attribute without a value; false, null and undefined
 *   omit it
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

/** The element with this id, which index.html contains. @throws Error if it is missing */
export function findById<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const existing = document.getElementById(id);
  if (existing === null) throw new Error(`Missing element: #${id}`);
  return existing as Kind;
}
