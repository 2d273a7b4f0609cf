/**
 * Makes an element. Text becomes text nodes, never markup, so that nothing foreign can become part of the page's structure.
 *
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined | EventListener>} attributes functions are listeners, as in
 *   `onclick`; true is an attribute without a value, false and nothing leave it out
 * @param {...(Node | string | null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, `${value}`);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The element with an id that the page is sure to have. */
export function find(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}`);
  return found;
}
