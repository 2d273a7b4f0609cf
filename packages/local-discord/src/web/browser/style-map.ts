import { noChange } from 'lit';
import { type AttributePart, Directive, directive } from 'lit/directive.js';

type Styles = Readonly<Record<string, string | null | undefined>>;

/**
 * In place of lit's directive, which begins with a `style` attribute: a strict content security policy blocks that, but
 * not what a script sets. The bundler gives it to the components as well.
 */
class StyleMap extends Directive {
  override render(_styles: Styles): unknown {
    return noChange;
  }

  override update({ element }: AttributePart, [styles]: [Styles]): unknown {
    const { style } = element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) style.setProperty(name, value ?? null);
    return noChange;
  }
}

export const styleMap = directive(StyleMap);
