import { html, type TemplateResult, toElement } from './element.ts';
import type { MessageView, SelectOption, ShownOption, ShownSelect } from './shown-message.ts';

/** Sends the use of a button or select. */
type UseComponent = (customId: string, values?: readonly string[]) => void;

/** The context of a message's controls. */
export interface ComponentContext {
  readonly view: MessageView;
  /** True if an earlier use is still pending. */
  readonly isBusy: boolean;
  readonly useComponent: UseComponent;
}

/** A select of a message. A native control: the library's select emits no selection and ignores the keyboard. */
export function selectElement(component: ShownSelect, context: ComponentContext): HTMLElement {
  return (component.max_values ?? 1) > 1 ? multiSelect(component, context) : singleSelect(component, context);
}

function singleSelect(component: ShownSelect, { view, isBusy, useComponent: press }: ComponentContext): HTMLElement {
  const label = component.placeholder ?? 'Choose';
  const choose = ({ currentTarget }: Event) => press(component.custom_id, [(currentTarget as HTMLSelectElement).value]);
  return toElement(html`<select class="select" ?disabled=${Boolean(component.disabled) || isBusy} aria-label=${label} data-custom-id=${component.custom_id} @change=${choose}>
    <option value="" disabled selected>${label}</option>
    ${view.optionsOf(component).map(optionElement)}
  </select>`);
}

/** A select with multiple values: checkboxes and a button to submit them. */
function multiSelect(component: ShownSelect, { view, isBusy, useComponent: press }: ComponentContext): HTMLElement {
  const minValues = component.min_values ?? 1;
  const maxValues = component.max_values ?? 1;
  const label = `${component.placeholder ?? 'Choose'} (${minValues === maxValues ? minValues : `${minValues} to ${maxValues}`})`;
  if (component.disabled) return toElement(html`<p class="select-many">${label}</p>`);
  const selectedValues = () => [...node.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
  function updateButton(): void {
    const count = selectedValues().length;
    const isComplete = count >= minValues && count <= maxValues;
    node.querySelector('button')?.toggleAttribute('disabled', isBusy || !isComplete);
  }
  const node = toElement(html`<details class="select-many" data-custom-id=${component.custom_id}>
    <summary>${label}</summary>
    <fieldset @change=${updateButton}><legend class="visually-hidden">${label}</legend>${view
      .optionsOf(component)
      .map(
        (option) =>
          html`<label><input type="checkbox" value=${option.value} ?checked=${option.selected}>${textOf(option)}</label>`,
      )}</fieldset>
    <button type="button" class="button primary" @click=${() => press(component.custom_id, selectedValues())}>Choose</button>
  </details>`);
  updateButton();
  return node;
}

export function optionElement(option: SelectOption): TemplateResult {
  return html`<option value=${option.value} ?selected=${option.selected}>${textOf(option)}</option>`;
}

function textOf({ label, hint }: SelectOption): string {
  return hint ? `${label} – ${hint}` : label;
}

export function toSelectOption({ label, value, description, emoji, default: selected }: ShownOption): SelectOption {
  const shown = [emoji?.name, label].filter(Boolean).join(' ');
  return { value, label: shown, ...(description ? { hint: description } : {}), selected: selected === true };
}
