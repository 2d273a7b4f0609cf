import { parseDuration } from '@tallyhook/platform/duration-text';
import {
  codeBlock,
  escapeName,
  joined,
  lines,
  type Markup,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { durationChoices } from '../../src/core/settings/value-schemas.ts';
import { selectedValues, textField } from '../../src/discord/commands/command.ts';
import type { Modal, Panel } from '../../src/discord/commands/reply.ts';
import { type ApiToken, isValid, maxTokenNameLength, maxTokens, tokenScopes } from '../../src/features/tokens/store.ts';
import { textInput } from './form.ts';
import { button, escapedName, overviewButton, panel, type SetupView, selectBlock, textBlock } from './view.ts';

/** After which a token can be set to end. */
const lifetimes = ['30d', '90d', '365d'] as const;
const endless = 'never';

const tokensButton = ({ texts }: Pick<SetupView, 'texts'>) => button(texts.text('setup.buttons.tokens'), 'tokens');

async function validTokens(view: SetupView): Promise<readonly ApiToken[]> {
  const communityId = view.services.communityIdOf(view.guildId);
  if (communityId === null) return [];
  const now = view.clock.now();
  const all = await view.services.tokens.list(communityId);
  return all.filter((token) => isValid(token, now));
}

/** The tokens of the community, with a select that revokes one. */
export async function renderTokens(view: SetupView): Promise<Panel> {
  const { text } = view.texts;
  const tokens = await validTokens(view);
  const choices = tokens.map(({ id, name }) => ({ label: plainName(name), value: String(id) }));
  return panel(
    'plain',
    escapedName(text('setup.buttons.tokens')),
    [
      textBlock(text('setup.tokens.intro')),
      textBlock(
        tokens.length === 0 ? text('setup.tokens.none') : lines(...tokens.map((token) => describeToken(token, view))),
      ),
      ...(tokens.length === 0
        ? []
        : [
            selectBlock({
              kind: 'choices',
              action: 'token',
              placeholder: text('setup.placeholders.revokeToken'),
              choices,
            }),
          ]),
    ],
    [
      ...(tokens.length < maxTokens ? [button(text('setup.buttons.newToken'), 'new-token', {}, 'primary')] : []),
      overviewButton(view),
    ],
  );
}

function describeToken({ name, scopes, usedAt, expiresAt }: ApiToken, { texts }: SetupView): Markup {
  const { text } = texts;
  const names = escapedName(texts.list(scopes.map((scope) => text(`setup.choices.${scope}`))));
  const used =
    usedAt === null ? text('setup.tokens.unused') : text('setup.tokens.used', { time: timestamp(usedAt, 'R') });
  const end = expiresAt === null ? null : text('setup.tokens.ends', { time: timestamp(expiresAt, 'R') });
  return lines(
    text('setup.tokens.line', { name: escapeName(name), scopes: names }),
    subtext(joined([used, end], ' · ')),
  );
}

/** The form for a new token. */
export function tokenForm({ texts }: SetupView): Modal {
  const { text } = texts;
  const ends = durationChoices(lifetimes, '', texts).map(([value, label]) => ({ value, label }));
  return {
    kind: 'modal',
    title: text('setup.buttons.newToken'),
    action: 'token-created',
    fields: [
      textInput(texts, 'tokenName', { hint: 'tokenName', maxLength: maxTokenNameLength }),
      {
        kind: 'checkboxes',
        name: 'tokenScopes',
        label: text('setup.fields.tokenScopes'),
        choices: tokenScopes.map((value) => ({
          value,
          label: text(`setup.choices.${value}`),
          selected: value === 'read',
        })),
      },
      {
        kind: 'choices',
        name: 'tokenEnd',
        label: text('setup.fields.tokenEnd'),
        choices: [{ value: endless, label: text('setup.choices.never'), selected: true }, ...ends],
      },
    ],
  };
}

/** Creates the token of the form, and shows it, once. */
export async function createToken(view: SetupView): Promise<Panel> {
  const { input, services, clock } = view;
  const { text } = view.texts;
  const communityId = view.services.communityIdOf(view.guildId);
  const name = textField(input, 'tokenName').toWellFormed().replaceAll(/\p{C}/gu, '').slice(0, maxTokenNameLength);
  const scopes = tokenScopes.filter((scope) => selectedValues(input, 'tokenScopes').includes(scope));
  const lifetime = lifetimes.find((each) => each === selectedValues(input, 'tokenEnd')[0]);
  if (communityId === null || name === '' || scopes.length === 0) return renderTokens(view);
  const expiresAt = lifetime === undefined ? null : clock.now() + parseDuration(lifetime);
  const created = await services.tokens.create({ communityId, name, scopes, expiresAt, createdBy: input.userId });
  // The list says how many there are.
  if (created === null) return renderTokens(view);
  return panel(
    'good',
    text('setup.tokens.created', { name: escapeName(name) }),
    [textBlock(codeBlock(created.secret)), textBlock(subtext(text('setup.tokens.once')))],
    [tokensButton(view), overviewButton(view)],
  );
}

/** Asks before a token is revoked. */
export async function renderToken(view: SetupView): Promise<Panel> {
  const { text } = view.texts;
  const token = (await validTokens(view)).find(({ id }) => String(id) === view.input.values[0]);
  if (token === undefined) return renderTokens(view);
  return panel(
    'bad',
    text('setup.tokens.revokeTitle', { name: escapeName(token.name) }),
    [textBlock(describeToken(token, view)), textBlock(text('setup.tokens.revoke'))],
    [
      button(text('setup.buttons.confirmRevoke'), 'token-revoked', { id: token.id }, 'danger'),
      { ...tokensButton(view), label: text('setup.buttons.cancel') },
    ],
  );
}

export async function revokeToken(view: SetupView): Promise<Panel> {
  const { input, services } = view;
  const communityId = view.services.communityIdOf(view.guildId);
  const id = Number(input.options['id']);
  if (communityId !== null && Number.isSafeInteger(id)) await services.tokens.revoke(communityId, id, input.userId);
  return renderTokens(view);
}
