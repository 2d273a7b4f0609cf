import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type {
  ModalField,
  OptionValue,
  Panel,
  PanelBlock,
  Reply,
  ReplyButton,
  ReplySelect,
} from '../../../discord/commands/reply.ts';
import type { GuildName } from '../../../discord/guild-reader.ts';
import type { NameBook } from '../../names.ts';
import { inlineMarkup, markupHtml } from './markup-html.ts';

/** Surroundings with which a panel of `/setup` is drawn. */
export interface PanelView {
  readonly names: NameBook;
  /** Language of the page. */
  readonly locale: string;
  readonly channels: readonly GuildName[];
  readonly roles: readonly GuildName[];
  /** The CSRF token of the session. */
  readonly formToken: string;
  /** Sent with what is changed, so that sending it twice changes it once. */
  readonly changeId: string;
}

type Options = Readonly<Record<string, OptionValue>>;

/** An answer of `/setup` as a part of a page: what reads is a link, what changes something a form. */
export function panelHtml(panel: Panel | Reply, view: PanelView): Html {
  const blocks: readonly PanelBlock[] =
    'kind' in panel
      ? panel.blocks
      : [
          ...(panel.text === undefined ? [] : [{ kind: 'text', text: panel.text } as const]),
          ...(panel.buttons === undefined ? [] : [{ kind: 'buttons', buttons: panel.buttons } as const]),
        ];
  const tone = panel.tone === 'good' ? 'good' : panel.tone === 'bad' ? 'bad' : '';
  return html`${panel.title !== undefined && html`<h1>${inlineMarkup(panel.title, view.names, view.locale)}</h1>`}
<section class="card panel ${tone}"${tone !== '' && html` role="status"`}>${blocks.map((block) => blockHtml(block, view))}</section>`;
}

function blockHtml(block: PanelBlock, view: PanelView): Html {
  switch (block.kind) {
    case 'text':
    case 'thumbnail':
      return html`<div class="text">${markupHtml(block.text, view.names, view.locale)}</div>`;
    case 'section':
      return html`<div class="with-action"><div class="text">${markupHtml(block.text, view.names, view.locale)}</div>${buttonHtml(block.button, view)}</div>`;
    case 'buttons':
      return html`<div class="line">${block.buttons.map((button) => buttonHtml(button, view))}</div>`;
    case 'select':
      return selectHtml(block.select, view);
    case 'separator':
      return html`<hr>`;
    case 'image':
      return html`<p class="quiet">${block.description}</p>`;
  }
}

function buttonHtml(button: ReplyButton, view: PanelView): Html | null {
  if (button.kind === 'link')
    return html`<a class="button second" href="${button.url}" rel="noreferrer">${button.label}</a>`;
  if (button.kind === 'page') return null;
  const { action, options = {}, label, style } = button;
  const isMain = style === 'primary' || style === 'success';
  if (isReading(action)) {
    return html`<a class="button${!isMain && html` second`}" href="?${queryOf(action, options)}">${label}</a>`;
  }
  return html`<form method="post" action="settings">${hiddenFields(action, options, view)}<button class="${isMain ? '' : 'second'}${style === 'danger' && html` danger`}">${label}</button></form>`;
}

function selectHtml(select: ReplySelect, view: PanelView): Html {
  const { action, options = {}, placeholder = '' } = select;
  const id = `select-${action}`;
  const field = html`<label for="${id}">${placeholder}</label> <select id="${id}" name="value">${optionsHtml(select, view)}</select>`;
  return isReading(action)
    ? html`<form class="line" method="get" action="settings"><input type="hidden" name="a" value="${action}">${Object.entries(
        options,
      ).map(
        ([name, value]) => html`<input type="hidden" name="o.${name}" value="${String(value)}">`,
      )}${field}<button class="second" aria-label="${placeholder}">→</button></form>`
    : html`<form class="line" method="post" action="settings">${hiddenFields(action, options, view)}${field}<button aria-label="${placeholder}">✓</button></form>`;
}

/** The choices of a select: its own, or the channels or roles of the guild. */
function optionsHtml(
  select: ReplySelect | Extract<ModalField, { kind: 'choices' | 'channels' | 'roles' | 'users' }>,
  view: PanelView,
): Html {
  if (select.kind === 'choices') {
    return html`${select.choices.map(
      ({ value, label, selected }) =>
        html`<option value="${value}"${selected === true && html` selected`}>${label}</option>`,
    )}`;
  }
  const [known, sign] = select.kind === 'channels' ? [view.channels, '#'] : [view.roles, '@'];
  const { selected = [] } = select;
  const others = selected.filter((id) => known.every((each) => each.id !== id)).map((id) => ({ id, name: id }));
  return html`${[...known, ...others].map(
    ({ id, name }) => html`<option value="${id}"${selected.includes(id) && html` selected`}>${sign}${name}</option>`,
  )}`;
}

export function hiddenFields(action: string, options: Options, { formToken, changeId }: PanelView): Html {
  const all = { a: action, i: changeId, ...Object.fromEntries(Object.entries(options).map(([k, v]) => [`o.${k}`, v])) };
  return html`${formTokenField({ formToken })}${Object.entries(all).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`,
  )}`;
}

function queryOf(action: string, options: Options): string {
  const query = new URLSearchParams({ a: action });
  for (const [name, value] of Object.entries(options)) query.set(`o.${name}`, String(value));
  return query.toString();
}

/** A field of a form. The first letter of its name says what is entered: a text, several values, or yes and no. */
export function fieldHtml(field: ModalField, view: PanelView): Html {
  const { name, label, description, required = true } = field;
  const id = `field-${name}`;
  const hint = description === undefined ? null : html`<p class="quiet" id="${id}-hint">${description}</p>`;
  const described = description !== undefined && html` aria-describedby="${id}-hint"`;
  const must = required && html` required`;
  switch (field.kind) {
    case 'text': {
      const { value = '', maxLength = 4_000, minLength = 0 } = field;
      const limits = html` maxlength="${maxLength}"${minLength > 0 && html` minlength="${minLength}"`} dir="auto"${must}${described}`;
      return html`<label for="${id}">${label}</label>${
        field.multiline
          ? html`<textarea id="${id}" name="t.${name}" rows="5"${limits}>\n${value}</textarea>`
          : html`<input id="${id}" name="t.${name}" value="${value}" autocomplete="off"${limits}>`
      }${hint}`;
    }
    // Its text can be entered in another field.
    case 'file':
      return html``;
    case 'checkbox':
      return html`<p class="choice"><input type="checkbox" id="${id}" name="b.${name}" value="1"${field.checked === true && html` checked`}${described}> <label for="${id}">${label}</label></p>${hint}`;
    case 'radios':
    case 'checkboxes': {
      const [type, prefix] = field.kind === 'radios' ? ['radio', 't'] : ['checkbox', 'm'];
      return html`<fieldset${described}><legend>${label}</legend>${field.choices.map(
        ({ value, label: text, selected }) =>
          html`<p class="choice"><input type="${type}" id="${id}-${value}" name="${prefix}.${name}" value="${value}"${selected === true && html` checked`}> <label for="${id}-${value}">${text}</label></p>`,
      )}${hint}</fieldset>`;
    }
    default: {
      const { maxValues = 1, minValues } = field;
      const isEmptyAllowed = !required || minValues === 0;
      return html`<label for="${id}">${label}</label><select id="${id}" name="m.${name}"${maxValues > 1 && html` multiple size="7"`}${described}>
${maxValues === 1 && isEmptyAllowed && html`<option value="">–</option>`}${optionsHtml(field, view)}</select>${hint}`;
    }
  }
}

/** The actions of `/setup` that only show something, so that a link may lead to them. All others change something. */
const reading: readonly string[] = [
  'overview',
  'listing',
  'section',
  'edit',
  'again',
  'entry',
  'item',
  'remove',
  'test',
  'step-channel',
  'step-rewards',
  'key',
  'rotate',
  'unlink',
  'add',
  'link',
  'more',
  'post-panel',
  'history',
  'import',
  'export',
  'check',
];

export function isReading(action: string): boolean {
  return reading.includes(action);
}
