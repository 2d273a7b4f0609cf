import { idForm } from '@tallyhook/platform/pasted-forms';
import { bold, escapeName, lines, type Markup, markup } from '@tallyhook/platform/texts/markup';
import { customSite, findLinkableSite } from '../../src/core/settings/listing-settings.ts';
import { textField } from '../../src/discord/commands/input.ts';
import type { Modal, ModalField, OptionValue, PanelBlock, ReplyButton } from '../../src/discord/commands/reply.ts';
import type { LinkResult } from '../../src/features/settings/community.ts';
import type { Texts } from '../../src/texts/texts.ts';
import { linkableSites } from '../../src/webhook/sites/index.ts';
import { homePageOf, type Site, trustOf } from '../../src/webhook/sites/site.ts';
import { authorOf, escapedName, linkButtons, type SetupView, selectBlock } from './view.ts';

const kinds = ['server', 'bot'] as const;
type Kind = (typeof kinds)[number];

/** What was chosen in the first step. */
export interface SiteChoice {
  /** {@link customSite} for a site that the owner describes. */
  readonly site: Site | typeof customSite;
  readonly kind: Kind;
  /** That of the listing to be, if its address was shown already. */
  readonly name: string | undefined;
}

/** The other sites, for servers and for bots. */
export function siteStep({ texts: { text } }: SetupView): PanelBlock[] {
  const placeholderOf = { server: text('setup.placeholders.serverSite'), bot: text('setup.placeholders.botSite') };
  return kinds.map((kind) => {
    const listing = linkableSites.filter((site) => site.kinds.includes(kind));
    return selectBlock({
      kind: 'choices',
      action: 'site',
      placeholder: placeholderOf[kind],
      options: { k: kind },
      choices: [
        ...listing.map(({ id, name }) => ({ label: name, value: id })),
        { label: text('setup.choices.customSite'), value: customSite },
      ],
    });
  });
}

/** What a select, a button or a form names; null for a forged one. */
export function chosenSite({ input: { values, options } }: SetupView): SiteChoice | null {
  const id = values[0] ?? options['w'];
  const kind = kinds.find((each) => each === options['k']);
  const site = id === customSite ? customSite : findLinkableSite(id);
  if (kind === undefined || site === null || (site !== customSite && !site.kinds.includes(kind))) return null;
  const name = options['n'];
  const isName = typeof name === 'string' && /^[a-z]+-[\da-f]{10}$/.test(name) && name.startsWith(`${idOf(site)}-`);
  return { site, kind, name: isName ? name : undefined };
}

const idOf = (site: SiteChoice['site']) => (site === customSite ? customSite : site.id);

export function choiceOptions({ site, kind, name }: SiteChoice): Readonly<Record<string, OptionValue>> {
  return { w: idOf(site), k: kind, ...(name !== undefined && { n: name }) };
}

/** How strong the scheme of a site is. Empty for a site of the operator's without any scheme. */
export function trustText({ text }: Texts, site: Site): Markup {
  const trust = trustOf(site);
  return escapeName(trust === 'none' ? '' : text(`setup.trust.${trust}`), maxTrustLength);
}

const maxTrustLength = 100;

/** What to click on the site. @param next what follows in Discord */
export function siteSteps({ text }: Texts, { name, setup: { secret, event, choice } }: Site, next: Markup): Markup {
  const steps = [
    text('setup.link.siteOpen', { site: bold(escapedName(name)) }),
    secret === 'ours' ? text('setup.link.siteEnter') : text('setup.link.siteEnterAddress'),
    ...(event === undefined ? [] : [text('setup.link.siteTick', { event: bold(escapedName(event)) })]),
    ...(choice === undefined ? [] : [text('setup.link.siteChoose', { choice: bold(escapedName(choice)) })]),
    next,
  ];
  return lines(...steps.map((step, index) => markup`${index + 1}. ${step}`));
}

/** Leads to the site. */
export function openSiteButtons({ text }: Texts, site: Site): readonly ReplyButton[] {
  return linkButtons(text('setup.link.openSite', { site: site.name }), homePageOf(site));
}

/** The form for what is not known already; null if that is everything. @param draft what was entered before */
export function siteForm(
  { texts, input }: SetupView,
  choice: SiteChoice,
  draft: SetupView['input']['fields'] = {},
): Modal | null {
  const { site, kind } = choice;
  const { text } = texts;
  const botId = { kind: 'text', name: 'botId', required: false, maxLength: 20 } as const;
  const asked: readonly ModalField[] = [
    ...(site === customSite ? descriptionFields(texts) : []),
    ...(kind === 'bot'
      ? [
          {
            ...botId,
            label: text('setup.fields.botId'),
            description: text('setup.hints.botId'),
            value: input.applicationId,
          },
        ]
      : []),
    ...(site !== customSite && site.setup.secret === 'theirs' ? [secretField(texts, site)] : []),
  ];
  if (asked.length === 0) return null;
  const withDraft = asked.map((field) => {
    const entered = draft[field.name];
    return field.kind === 'text' && typeof entered === 'string' ? { ...field, value: entered } : field;
  });
  const title = site === customSite ? text('setup.choices.customSite') : site.name;
  return { kind: 'modal', title, action: 'site-linked', options: choiceOptions(choice), fields: withDraft };
}

/** The description of a site whose deliveries have a secret in a header. */
function descriptionFields(texts: Texts): readonly ModalField[] {
  const text = { kind: 'text', maxLength: 80 } as const;
  return [
    { ...text, name: 'siteName', label: texts.text('setup.fields.siteName') },
    {
      ...text,
      name: 'header',
      label: texts.text('setup.fields.header'),
      description: texts.text('setup.hints.header'),
      value: 'Authorization',
    },
    {
      ...text,
      name: 'user',
      label: texts.text('setup.fields.user'),
      description: texts.text('setup.hints.user'),
      placeholder: 'user.id',
    },
    {
      ...text,
      name: 'test',
      label: texts.text('setup.fields.test'),
      description: texts.text('setup.hints.test'),
      placeholder: 'type=test',
      required: false,
    },
  ];
}

/** As in the file. What is not valid is refused when it is saved. */
function describedIn(view: SetupView): object {
  const entered = (name: string) => textField(view.input, name).trim();
  const [field = '', is = 'true'] = entered('test')
    .split('=', 2)
    .map((part) => part.trim());
  const flag = is === 'true' || is === 'false' ? is === 'true' : is;
  return {
    name: entered('siteName'),
    ...(entered('header') !== '' && { header: entered('header') }),
    user: entered('user'),
    ...(field !== '' && { test: { field, is: flag } }),
  };
}

/** A secret: ours unless the owner enters another one, or the one that the site has made. */
export function secretField({ text }: Texts, site: Site | null): ModalField {
  const { secret, secretPrefix } = site?.setup ?? { secret: 'ours' };
  const field = { kind: 'text', name: 'secret', label: text('setup.fields.secret'), maxLength: 200 } as const;
  if (secret === 'ours') return { ...field, description: text('setup.hints.secret'), required: false };
  return {
    ...field,
    description: text('setup.hints.siteSecret'),
    ...(secretPrefix && { placeholder: `${secretPrefix}…` }),
  };
}

/** Links a listing on a site; its webhook gets a secret of ours unless the site has made one. */
export function linkSite(view: SetupView, { site, kind, name }: SiteChoice): Promise<LinkResult> {
  const { input, guildId } = view;
  return view.services.settings.link({
    ...authorOf(view),
    kind,
    site: idOf(site),
    ...(site === customSite && { custom: describedIn(view) }),
    ...(name !== undefined && { name }),
    targetId: kind === 'server' ? guildId : idForm('any').clean(textField(input, 'botId')) || input.applicationId,
    lookupKey: null,
    voteSecret: textField(input, 'secret') || null,
  });
}
