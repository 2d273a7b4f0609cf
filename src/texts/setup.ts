import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, codeBlock, type Markup, trustedMarkup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** What the texts of an announcement can contain, as examples. */
const titleExamples = '{listing} {credits} {streak}';
const textExamples = '{mention} {listing} {credits} {next}';

/** The texts of `/setup`. */
export function setupTexts(messages: Catalogue['setup'], language: Language, parts: PartTexts) {
  const { text, texts, plain, number } = language;
  const { description, sections, buttons, forms, fields, choices, placeholders, trust, files } = messages;
  const { values, main, welcome, link, steps, listing, saved, problems, history, shop } = messages;
  const code = (content: string) => codeBlock(content);
  const { rewards, announcements, ...names } = messages.names;
  return {
    description,
    sections,
    buttons,
    forms,
    fields,
    choices,
    placeholders,
    trust,
    files,
    hints: {
      ...messages.hints,
      title: plain(messages.hints.title, { placeholders: titleExamples }),
      text: plain(messages.hints.text, { placeholders: textExamples }),
    },
    names: { ...texts(names), rewards: texts(rewards), announcements: texts(announcements) },
    values: {
      none: text(values.none),
      yes: text(values.yes),
      no: text(values.no),
      notSet: text(values.notSet),
      off: (settings: Markup) => text(values.off, { names: settings }),
      always: text(values.always),
      anyTier: text(values.anyTier),
      sameAsAnnouncements: text(values.sameAsAnnouncements),
      streak: (credits: number, days: number, forgive: number) =>
        text(values.streak, {
          credits: parts.credits(credits),
          days: parts.days(days),
          forgive: number(forgive),
        }),
      party: (credits: number, votes: number, per: Markup) =>
        text(values.party, { credits: parts.credits(credits), votes: parts.votes(votes), per }),
      milestone: (votes: number, repeats: boolean, reward: Markup) =>
        text(repeats ? values.everyMilestone : values.milestone, { votes: parts.votes(votes), reward }),
      multiplier: (factor: number, when: Markup) => text(values.multiplier, { factor: number(factor), when }),
      roleFor: (role: Markup, duration: Markup) => text(values.roleFor, { role, duration }),
      tier: (tier: Markup, role: Markup) => text(values.tier, { tier, role }),
      item: (name: Markup, price: number) => text(values.item, { name, price: parts.credits(price) }),
      lostStreaks: (days: number) => text(values.lostStreaks, { days: parts.days(days) }),
      stored: (count: number) => text(values.stored, { count: number(count) }),
    },
    sources: texts(messages.sources),
    main: {
      title: text(main.title),
      intro: text(main.intro),
      done: (done: number, total: number) => text(main.done, { done: number(done), total: number(total) }),
      /** `problem` is English. */
      notStored: (problem: Markup) => text(main.notStored, { problem }),
    },
    welcome: {
      title: text(welcome.title),
      text: text(welcome.text),
      needsOperator: text(welcome.needsOperator),
      unassigned: (listings: Markup) => text(welcome.unassigned, { names: listings }),
    },
    connect: { ...messages.connect, hint: text(messages.connect.hint) },
    link: {
      title: (name: Markup) => text(link.title, { name }),
      ...texts({
        copy: link.copy,
        siteEnter: link.siteEnter,
        siteEnterAddress: link.siteEnterAddress,
        siteTest: link.siteTest,
        once: link.once,
        vote: link.vote,
        premium: link.premium,
        address: link.address,
        secret: link.secret,
        stored: link.stored,
        waiting: link.waiting,
        notYet: link.notYet,
        noPublicAddress: link.noPublicAddress,
        refused: link.refused,
        wrongKind: link.wrongKind,
        malformed: link.malformed,
        otherListing: link.otherListing,
      }),
      siteOpen: (site: Markup) => text(link.siteOpen, { site }),
      siteChoose: (choice: Markup) => text(link.siteChoose, { choice }),
      arrived: (time: Markup) => text(link.arrived, { time }),
      voteArrived: (time: Markup) => text(link.voteArrived, { time }),
      unreachable: (time: Markup) => text(link.unreachable, { time }),
      tooMany: (time: Markup) => text(link.tooMany, { time }),
      alreadyLinked: (name: Markup) => text(link.alreadyLinked, { name }),
      linkedByOperator: (name: Markup) => text(link.linkedByOperator, { name }),
      notCompared: (name: Markup) => text(link.notCompared, { name }),
      code,
    },
    steps: texts(steps),
    votePanel: {
      text: text(messages.votePanel.text),
      posted: (channel: Markup) => text(messages.votePanel.posted, { channel }),
    },
    listing: {
      key: (isStored: boolean) => text(listing.key, { state: text(isStored ? listing.keyStored : listing.keyMissing) }),
      operators: text(listing.operators),
      rotateTitle: text(listing.rotateTitle),
      rotated: text(listing.rotated),
      unlinkTitle: (name: Markup) => text(listing.unlinkTitle, { name }),
      unlink: text(listing.unlink),
    },
    reminders: text(messages.reminders.text),
    shop: {
      empty: text(shop.empty),
      removeTitle: (name: Markup) => text(shop.removeTitle, { name }),
      remove: text(shop.remove),
    },
    preview: text(messages.preview),
    saved: {
      title: text(saved.title),
      undoneTitle: text(saved.undoneTitle),
      soon: text(saved.soon),
      /** What the rules would have paid in the last 30 days, now and before the change (credits). */
      wouldHavePaid: ({ before, after }: { readonly before: number; readonly after: number }) =>
        text(saved.wouldHavePaid, { after: parts.credits(after), before: number(before) }),
      unchanged: text(saved.unchanged),
      change: (name: Markup, before: Markup, after: Markup) => text(saved.change, { name: bold(name), before, after }),
      ofListing: (name: Markup, setting: Markup) => text(saved.ofListing, { listing: name, name: setting }),
      secretChanged: (name: Markup) => text(saved.secretChanged, { name: bold(name) }),
    },
    problems: {
      ...texts({
        title: problems.title,
        file: problems.file,
        fileHint: problems.fileHint,
        kept: problems.kept,
        gone: problems.gone,
        conflict: problems.conflict,
        changedSince: problems.changedSince,
        alreadyUndone: problems.alreadyUndone,
        notFound: problems.notFound,
        unknownListing: problems.unknownListing,
        noKey: problems.noKey,
        channelHint: problems.channelHint,
        managedRoleHint: problems.managedRoleHint,
        moderatingRoleHint: problems.moderatingRoleHint,
        unknownRole: problems.unknownRole,
        unknownRoleHint: problems.unknownRoleHint,
        rolesUnknown: problems.rolesUnknown,
        rolesUnknownHint: problems.rolesUnknownHint,
        roleAboveMemberHint: problems.roleAboveMemberHint,
        manageRoles: problems.manageRoles,
        manageRolesHint: problems.manageRolesHint,
      }),
      channel: (channel: Markup, permissions: string) =>
        text(problems.channel, { channel, permissions: trustedMarkup(permissions) }),
      managedRole: (role: Markup) => text(problems.managedRole, { role }),
      moderatingRole: (role: Markup) => text(problems.moderatingRole, { role }),
      roleAbove: (role: Markup) => text(problems.roleAbove, { role }),
      roleAboveMember: (role: Markup) => text(problems.roleAboveMember, { role }),
      roleAboveHint: (role: Markup) => text(problems.roleAboveHint, { role }),
    },
    history: {
      title: text(history.title),
      none: text(history.none),
      line: (time: Markup, author: Markup) => text(history.line, { time, author }),
      undone: text(history.undone),
      undoes: text(history.undoes),
    },
  };
}
