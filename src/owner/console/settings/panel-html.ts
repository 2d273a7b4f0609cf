import { subtext } from '@tallyhook/platform/texts/markup';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { SetupView } from '../../../../commands/setup/view.ts';
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
import type { Texts } from '../../../texts/texts.ts';
import type { NameBook } from '../../names.ts';
import { inlineMarkup, markupHtml } from './markup-html.ts';

export interface PanelView {
  readonly names: NameBook;
  readonly texts: Texts;
  readonly channels: readonly GuildName[];
  readonly roles: readonly GuildName[];
  readonly formToken: string;
  /** Sent with what is changed, so that sending it twice changes it once. */
  readonly changeId: string;
  /** The relative URL of the settings. */
  readonly base: string;
  /** The relative URL of the whole console. */
  readonly root: string;
  /** The shown page. With a listing, the navigation of the settings is beside it, and no button has to lead to them. */
  readonly setup: SetupView;
}

export type Options = Readonly<Record<string, OptionValue>>;

/**
 * An answer of `/setup` as a part of a page: what reads is a link, what changes something a form.
 * @param tabs below the title
 */
export function panelHtml(panel: Panel | Reply, view: PanelView, tabs: Html | null): Html {
  const { title, tone } = panel;
  return html`${title !== undefined && html`<h1>${inlineMarkup(title, view.names, view.texts)}</h1>`}
${tabs}
<section class="card panel${(tone === 'good' || tone === 'bad') && ` ${tone}`}"${(tone === 'good' || tone === 'bad') && html` role="status"`}>${blocksOf(panel).map((block) => blockHtml(block, view))}</section>`;
}

/** An answer of `/setup` above the section that it is about. Of its buttons, the one that takes back what was done. */
export function noticeHtml(panel: Panel | Reply, section: string | null, view: PanelView): Html {
  const { title, tone } = panel;
  const blocks = blocksOf(panel);
  const undo = blocks
    .flatMap((block) => (block.kind === 'buttons' ? block.buttons : []))
    .flatMap((button) => (button.kind === 'action' && button.action === 'undo' ? button : []))
    .map((button) => ({ ...button, options: { ...button.options, ...(section !== null && { s: section }) } }))[0];
  // The form with what was entered is below it.
  const kept = subtext(view.texts.text('setup.problems.kept'));
  const shown = blocks.filter((block) => block.kind === 'text' && block.text !== kept);
  return html`<section class="notice spread ${tone === 'good' || tone === 'bad' ? tone : 'plain'}" role="${tone === 'bad' ? 'alert' : 'status'}"><div>
${title !== undefined && html`<h2>${inlineMarkup(title, view.names, view.texts)}</h2>`}${shown.map((block) => blockHtml(block, view))}</div>${undo !== undefined && buttonHtml(undo, view)}</section>`;
}

function blocksOf(panel: Panel | Reply): readonly PanelBlock[] {
  if ('kind' in panel) return panel.blocks;
  const { text, buttons } = panel;
  return [
    ...(text === undefined ? [] : [{ kind: 'text', text } as const]),
    ...(buttons === undefined ? [] : [{ kind: 'buttons', buttons } as const]),
  ];
}

function blockHtml(block: PanelBlock, view: PanelView): Html | null {
  switch (block.kind) {
    case 'text':
    case 'thumbnail':
      return html`<div class="text">${markupHtml(block.text, view.names, view.texts)}</div>`;
    case 'section':
      return html`<div class="with-action"><div class="text">${markupHtml(block.text, view.names, view.texts)}</div>${buttonHtml(block.button, view)}</div>`;
    case 'buttons':
      return buttonsHtml(block.buttons, view);
    case 'select':
      return selectHtml(block.select, view);
    case 'separator':
      return html`<hr>`;
    case 'image':
      return html`<p class="quiet">${block.description}</p>`;
  }
}

/** A row of buttons; nothing for none. */
export function buttonsHtml(buttons: readonly ReplyButton[], view: PanelView): Html | null {
  const shown = buttons.flatMap((button) => buttonHtml(button, view) ?? []);
  return shown.length === 0 ? null : html`<div class="line">${shown}</div>`;
}

export function buttonHtml(button: ReplyButton, view: PanelView): Html | null {
  if (button.kind === 'link')
    return html`<a class="button second" href="${button.url}" rel="noreferrer">${button.label}</a>`;
  if (button.kind === 'page' || (button.action === 'overview' && view.setup.hasListing())) return null;
  const { action, options = {}, label, style } = button;
  const isMain = style === 'primary' || style === 'success';
  if (isReading(action)) {
    return html`<a class="button${!isMain && html` second`}${style === 'danger' && html` danger`}" href="${addressOf(action, options, view)}">${label}</a>`;
  }
  return html`<form method="post" action="${view.base}">${hiddenFields(action, options, view)}<button class="${isMain ? '' : 'second'}${style === 'danger' && html` danger`}">${label}</button></form>`;
}

function selectHtml(select: ReplySelect, view: PanelView): Html {
  const { action, options = {}, placeholder = '' } = select;
  const id = `select-${action}${options['k'] === undefined ? '' : `-${String(options['k'])}`}`;
  const field = html`<label for="${id}">${placeholder}</label> <select id="${id}" name="value">${optionsHtml(select, view)}</select>`;
  return isReading(action)
    ? html`<form class="line" method="get" action="${view.base}"><input type="hidden" name="a" value="${action}">${Object.entries(
        options,
      ).map(
        ([name, value]) => html`<input type="hidden" name="o.${name}" value="${String(value)}">`,
      )}${field}<button class="second" aria-label="${placeholder}">→</button></form>`
    : html`<form class="line" method="post" action="${view.base}">${hiddenFields(action, options, view)}${field}<button aria-label="${placeholder}">✓</button></form>`;
}

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

/** The address of what an action of `/setup` shows. Its sections are pages. */
export function addressOf(action: string, options: Options, { base }: Pick<PanelView, 'base'>): string {
  if (action === 'overview') return base;
  const query = new URLSearchParams();
  if (action === 'section') {
    if (options['l'] !== undefined) query.set('o.l', String(options['l']));
    return `${base}/${encodeURIComponent(String(options['s']))}${query.size > 0 ? `?${query.toString()}` : ''}`;
  }
  query.set('a', action);
  for (const [name, value] of Object.entries(options)) query.set(`o.${name}`, String(value));
  return `${base}?${query.toString()}`;
}

/**
 * A field of a form: its label and hint, and what is entered. The first letter of its name says what that is: a text,
 * several values, or yes and no.
 */
export function fieldHtml(field: ModalField, view: PanelView): Html {
  const { name, label, description, required = true } = field;
  const id = `field-${name}`;
  const hint = description !== undefined && html`<p class="quiet" id="${id}-hint">${description}</p>`;
  const described = description !== undefined && html` aria-describedby="${id}-hint"`;
  const labelled = (control: Html) =>
    html`<div class="field"><div><label for="${id}">${label}</label>${hint}</div><div>${control}</div></div>`;
  switch (field.kind) {
    case 'text': {
      const { value = '', maxLength = 4_000, minLength = 0, placeholder, isNumber, inserts } = field;
      const limits = html` maxlength="${maxLength}"${minLength > 0 && html` minlength="${minLength}"`}${placeholder !== undefined && html` placeholder="${placeholder}"`} dir="auto"${required && html` required`}${described}`;
      // Shown by the script that they need.
      const chips =
        inserts &&
        html`<div class="chips" data-into="${id}" hidden>${inserts.map((each) => html`<button type="button">${each}</button>`)}</div>`;
      const control = field.multiline
        ? html`<textarea id="${id}" name="t.${name}" rows="5"${limits}>\n${value}</textarea>`
        : html`<input id="${id}" name="t.${name}" value="${value}" autocomplete="off"${isNumber === true && html` class="short" inputmode="decimal"`}${limits}>`;
      return labelled(html`${control}${chips ?? null}`);
    }
    // Its text can be entered in another field.
    case 'file':
      return html``;
    case 'checkbox':
      return labelled(
        html`<input type="checkbox" id="${id}" name="b.${name}" value="1"${field.checked === true && html` checked`}${described}>`,
      );
    case 'radios':
    case 'checkboxes': {
      const [type, prefix, role] = field.kind === 'radios' ? ['radio', 't', 'radiogroup'] : ['checkbox', 'm', 'group'];
      return html`<div class="field" role="${role}" aria-labelledby="${id}-label"${described}><div><p class="label" id="${id}-label">${label}</p>${hint}</div><div>${field.choices.map(
        ({ value, label: text, selected }) =>
          html`<p class="choice"><input type="${type}" id="${id}-${value}" name="${prefix}.${name}" value="${value}"${selected === true && html` checked`}> <label for="${id}-${value}">${text}</label></p>`,
      )}</div></div>`;
    }
    default: {
      const { maxValues = 1, minValues } = field;
      const isEmptyAllowed = !required || minValues === 0;
      return labelled(html`<select id="${id}" name="m.${name}"${maxValues > 1 && html` multiple size="7"`}${described}>
${maxValues === 1 && isEmptyAllowed && html`<option value="">–</option>`}${optionsHtml(field, view)}</select>`);
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
  'webhook',
  'webhook-add',
  'webhook-events',
  'webhook-attempts',
  'webhook-remove',
  'tokens',
  'token',
  'new-token',
];

export function isReading(action: string): boolean {
  return reading.includes(action);
}
