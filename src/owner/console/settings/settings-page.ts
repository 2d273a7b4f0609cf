import { type Html, html } from '@tallyhook/platform/web/html';
import { withDraft } from '../../../../commands/setup/form.ts';
import { type SettingsList, type SettingsPage, settingsPage } from '../../../../commands/setup/pages.ts';
import { pathsOf, type SetupSection, setupSections } from '../../../../commands/setup/sections.ts';
import { button, type ListingView, listingTitle, notInEffect } from '../../../../commands/setup/view.ts';
import { hasDraft } from '../../../../commands/setup.ts';
import type { CommandInput } from '../../../discord/commands/command.ts';
import type { Modal, ModalField, Panel, Reply, ReplyButton } from '../../../discord/commands/reply.ts';
import { inlineMarkup, markupHtml } from './markup-html.ts';
import {
  addressOf,
  buttonHtml,
  buttonsHtml,
  fieldHtml,
  hiddenFields,
  noticeHtml,
  type Options,
  type PanelView,
} from './panel-html.ts';
import { previewAssets } from './previews-html.ts';

/** The pages of the settings that are answers of `/setup` as they are, with the action that each is. */
export const answerPages: ReadonlyMap<string, string> = new Map([
  ['listing', 'section'],
  ['tokens', 'tokens'],
]);

/** A page of the settings. @param current the name of the page in the navigation; null for none */
export function besideNavigation(current: string | null, content: Html, view: PanelView): Html {
  const { setup, texts } = view;
  if (!setup.hasListing()) return html`<div class="settings">${content}</div>`;
  const names = [...setupSections.map(({ id }) => id), 'listing', 'tokens'] as const;
  const link = (name: (typeof names)[number]) => {
    const label = name === 'tokens' ? texts.text('setup.buttons.tokens') : texts.text(`setup.sections.${name}`);
    const href = addressOf('section', { s: name, l: setup.listing.name }, view);
    return html`<li><a href="${href}"${name === current && html` aria-current="page"`}>${label}</a></li>`;
  };
  const below = current === 'listing' && buttonsHtml(listingButtons(setup), view);
  return html`<div class="with-side"><nav class="side" aria-label="${texts.text('console.settings')}"><ul>${names.map(link)}</ul></nav>
<div class="settings">${content}${below}</div></div>`;
}

/** Buttons about all listings. */
function listingButtons(setup: ListingView): readonly ReplyButton[] {
  const { text } = setup.texts;
  return [
    button(text('setup.buttons.link'), 'add'),
    button(text('setup.buttons.export'), 'export'),
    button(text('setup.buttons.import'), 'import', setup.listingOptions),
  ];
}

/** The result of a form: the values that were not saved, and why; or those that were. */
export interface Answered {
  readonly panel: Panel | Reply;
  readonly input: CommandInput;
}

/** A section with all its fields in one form, and its lists as tables. @param answered shown above it */
export function sectionPage(
  setup: ListingView,
  section: SetupSection,
  view: PanelView,
  answered: Answered | null,
): Html {
  const { texts, names, root } = view;
  const page = settingsPage(setup, section);
  const rejected = answered?.panel.tone === 'bad' && answered.input.options['p'] === undefined ? answered.input : null;
  const options = { s: section.id, l: setup.listing.name, v: setup.community.version };
  const { text } = texts;
  return html`<h1>${text(`setup.sections.${section.id}`)}</h1>
${answered && noticeHtml(answered.panel, section.id, view)}
${listingTabs(setup, section.id, view)}
${notInEffect(setup, pathsOf(section)).map((line) => html`<div class="notice bad">${markupHtml(line, names, texts)}</div>`)}
${page.intro && html`<div class="quiet">${markupHtml(page.intro, names, texts)}</div>`}
${page.groups.length > 0 && fieldsForm(page, { options, rejected, section }, view)}
${page.lists.map((list) => listTable(list, view))}
${buttonsHtml(page.buttons, view)}
${page.groups.length > 0 && hasDraft(section.id) && previewAssets(root)}`;
}

/** The listings of a community, for a section that each of them has; null for only one. */
export function listingTabs(
  { community, listing, ...setup }: ListingView,
  section: string,
  view: PanelView,
): Html | null {
  if (community.listings.length < 2) return null;
  return html`<nav aria-label="${view.texts.text('setup.placeholders.listing')}"><ul class="tabs">${community.listings.map(
    (each) =>
      html`<li><a href="${addressOf('section', { s: section, l: each.name }, view)}"${each.name === listing.name && html` aria-current="true"`}><bdi>${listingTitle(setup, each)}</bdi></a></li>`,
  )}</ul></nav>`;
}

function fieldsForm(
  { groups, lists }: SettingsPage,
  { options, rejected, section }: { options: Options; rejected: CommandInput | null; section: SetupSection },
  view: PanelView,
): Html {
  const { text } = view.texts;
  const fieldsOf = (fields: readonly ModalField[]) =>
    (rejected === null ? fields : withEntered(fields, rejected)).map((field) => fieldHtml(field, view));
  const form = html`<form id="page-form" class="fields" method="post" action="${addressOf('section', { s: section.id }, view)}">${hiddenFields('submit', options, view)}
${groups.map(({ name, fields }) =>
  groups.length + lists.length === 1
    ? html`<div class="card">${fieldsOf(fields)}</div>`
    : html`<section class="card" aria-labelledby="form-${name}"><h2 id="form-${name}">${text(`setup.forms.${name}`)}</h2>${fieldsOf(fields)}</section>`,
)}
<div class="save-bar"><button>${text('console.save')}</button>${section.id !== 'announcements' && hasDraft(section.id) && previewOf('page-form', view)}</div></form>`;
  if (section.id !== 'announcements') return form;
  return html`<div class="with-preview">${form}${messagesOf('page-form', view)}</div>`;
}

/** The effect of a form, in a line beside its button. */
function previewOf(form: string, { base, texts }: PanelView): Html {
  return html`<div class="preview-line" role="region" aria-label="${texts.text('console.preview')}" data-preview="${base}/preview" data-of="${form}" hidden><div></div></div>`;
}

/** The messages of a form, which stay in sight. */
function messagesOf(form: string, { base, texts }: PanelView): Html {
  return html`<details class="card previews" open data-preview="${base}/preview" data-of="${form}" hidden><summary><h2>${texts.text('console.preview')}</h2></summary><div role="region" aria-label="${texts.text('console.preview')}"></div></details>`;
}

/** The fields with what was entered; boxes that were not ticked are not sent. */
function withEntered(fields: readonly ModalField[], { fields: entered }: CommandInput): readonly ModalField[] {
  const unticked = fields.flatMap(({ name, kind }) => (kind === 'checkboxes' ? [[name, []] as const] : []));
  return withDraft(fields, { ...Object.fromEntries(unticked), ...entered });
}

function listTable({ path, title, columns, rows, add }: SettingsList, view: PanelView): Html {
  const { texts, names } = view;
  const { text } = texts;
  const id = `list-${path.replace('.', '-')}`;
  const idOf = ({ e }: Options) => `${id}-${String(e)}`;
  const actions = (options: Options) =>
    html`<div class="acts"><a href="${addressOf('edit', options, view)}" aria-describedby="${idOf(options)}">${text('setup.buttons.edit')}</a>
<form method="post" action="${addressOf('section', { s: options['s'] ?? '' }, view)}">${hiddenFields('submit', options, view)}<input type="hidden" name="b.remove" value="1"><button class="plain danger" aria-describedby="${idOf(options)}">${text('setup.buttons.remove')}</button></form></div>`;
  return html`<section class="card" aria-labelledby="${id}"><div class="spread"><h2 id="${id}">${inlineMarkup(title, names, texts)}</h2>${add && buttonHtml(add, view)}</div>
${
  rows.length === 0
    ? html`<p class="quiet">${text('console.noActions')}</p>`
    : html`<table><thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}<td></td></tr></thead>
<tbody>${rows.map(
        ({ cells, note, options }) =>
          html`<tr>${cells.map((cell, index) => html`<td data-name="${columns[index] ?? ''}"${index === 0 && html` id="${idOf(options)}"`}>${inlineMarkup(cell, names, texts)}${index === 0 && note !== null && html`<br><span class="quiet">${inlineMarkup(note, names, texts)}</span>`}</td>`)}<td class="end">${actions(options)}</td></tr>`,
      )}</tbody></table>`
}</section>`;
}

/**
 * A form of `/setup` on a page.
 * @param options.answered what was wrong with it
 * @param options.sent the options of the request
 */
export function modalPage(
  { title, action, fields, ...modal }: Modal,
  { section, answered, sent }: { section: string | null; answered: Answered | null; sent: Options },
  view: PanelView,
): Html {
  const { root } = view;
  const { text } = view.texts;
  // A page that names a section means all fields of a list.
  const { f: name, ...others } = { ...modal.options, ...sent };
  const options: Options = sent['s'] === undefined && name !== undefined ? { ...others, f: name } : others;
  const removal = fields.some(({ kind, name: field }) => kind === 'checkbox' && field === 'remove');
  const entered = answered === null ? fields : withEntered(fields, answered.input);
  const back = section === null ? view.base : addressOf('section', { s: section, l: sent['l'] ?? '' }, view);
  const preview = section !== null && hasDraft(section);
  const form = html`<form id="modal-form" class="fields" method="post" action="${view.base}">${hiddenFields(action, options, view)}
<div class="card">${entered.filter((field) => field.name !== 'remove').map((field) => fieldHtml(field, view))}</div>
<div class="save-bar"><button>${text('console.save')}</button> <a class="button second" href="${back}">${text('setup.buttons.cancel')}</a>
${removal && html`<button class="second danger" name="b.remove" value="1" formnovalidate>${text('setup.buttons.remove')}</button>`}${preview && section === 'rewards' && previewOf('modal-form', view)}</div></form>`;
  return html`<h1>${title}</h1>
${answered && noticeHtml(answered.panel, section, view)}
${preview && section === 'announcements' ? html`<div class="with-preview">${form}${messagesOf('modal-form', view)}</div>` : form}
${preview && previewAssets(root)}`;
}
