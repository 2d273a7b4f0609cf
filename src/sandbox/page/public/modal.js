import { selectOptions } from './components.js';
import { element, find } from './element.js';
import { formatted } from './formatted.js';
import { ask } from './requests.js';

const type = { row: 1, text: 4, display: 10, label: 18 };

/** The form that a bot opens in answer to a command or a click of whoever is acting. */
export function startModal(store) {
  const { state } = store;
  const dialog = find('modal');
  const form = find('modal-form');
  const error = find('modal-error');
  let opened = null;

  function open({ interactionId, userId, modal }) {
    opened = { interactionId, userId, title: modal.title };
    error.textContent = '';
    find('modal-title').textContent = modal.title;
    find('modal-fields').replaceChildren(...modal.components.map((part) => drawPart(part, state)));
    if (!dialog.open) dialog.showModal();
    form.querySelector('input, textarea, select')?.focus();
  }

  async function submit() {
    const { interactionId, userId } = opened;
    const answer = await ask('/page/modals', { interactionId, userId, values: valuesIn(form) });
    if (answer.error) error.textContent = answer.error;
    else {
      store.sent(answer.interactionId, { name: null, title: opened.title, userId, channelId: state.channelId });
      dialog.close();
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  // The browser gives the focus back, but Chromium not the caret with it: what is typed then is lost.
  dialog.addEventListener('close', () => {
    const focused = document.activeElement;
    focused?.blur();
    focused?.focus();
  });
  find('modal-cancel').addEventListener('click', () => dialog.close());
  store.subscribe((kind, detail) => {
    if (kind === 'modal' && detail.userId === state.userId) open(detail);
    if (kind === 'acting') dialog.close();
  });
}

function drawPart(part, state) {
  if (part.type === type.display) return element('div', { class: 'content' }, formatted(part.content, state));
  const field = part.type === type.row ? part.components[0] : part.component;
  const id = `field-${field.custom_id}`;
  const isRequired = field.required ?? true;
  const name = part.type === type.row ? field.label : part.label;
  const star = isRequired ? element('span', { class: 'required', 'aria-hidden': 'true' }, ' *') : null;
  const about = part.description ? element('p', { class: 'field-hint', id: `${id}-hint` }, part.description) : null;
  const described = about ? `${id}-hint` : null;
  const attributes = { id, name: field.custom_id, required: isRequired, 'aria-describedby': described };
  const control = field.type === type.text ? textField(field, attributes) : selectField(field, attributes, state);
  return element('div', { class: 'modal-field' }, element('label', { for: id }, name, star), about, control);
}

function textField(field, attributes) {
  const all = {
    ...attributes,
    minlength: field.min_length || null,
    maxlength: field.max_length ?? 4000,
    placeholder: field.placeholder,
  };
  if (field.style === 2) return element('textarea', { ...all, rows: 4 }, field.value ?? '');
  return element('input', { ...all, type: 'text', value: field.value ?? '' });
}

function selectField(field, attributes, state) {
  const multiple = (field.max_values ?? 1) > 1;
  const options = selectOptions(field, state).map(({ value, label, selected }) =>
    element('option', { value, selected }, label),
  );
  const none = multiple ? [] : [element('option', { value: '' }, field.placeholder ?? 'Choose')];
  return element('select', { ...attributes, multiple, 'data-picks': true }, ...none, ...options);
}

/** Texts as they are, picks as lists. */
function valuesIn(form) {
  const values = {};
  for (const control of form.querySelectorAll('#modal-fields [name]')) {
    values[control.name] =
      control.dataset.picks === undefined
        ? control.value
        : [...control.selectedOptions].map(({ value }) => value).filter(Boolean);
  }
  return values;
}
