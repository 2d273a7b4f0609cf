import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { codeBlock, type Markup, trustedMarkup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** What the texts of an announcement can contain, as examples. */
const titleExamples = '{listing} {credits} {streak}';
const textExamples = '{mention} {listing} {credits} {next}';

export function setupTexts(messages: Catalogue['setup'], language: Language, parts: PartTexts) {
  const { text, texts, plain, number } = language;
  const { values, main, link, listing, saved, problems, history } = messages;
  const fixed = texts(messages);
  return {
    ...fixed,
    hints: {
      ...fixed.hints,
      title: plain(messages.hints.title, { placeholders: titleExamples }),
      text: plain(messages.hints.text, { placeholders: textExamples }),
    },
    values: {
      ...fixed.values,
      off: (settings: Markup) => text(values.off, { names: settings }),
      streak: (credits: number, days: number, forgive: number) =>
        text(values.streak, { credits: parts.credits(credits), days: parts.days(days), forgive: number(forgive) }),
      milestone: (votes: number, repeats: boolean, reward: Markup) =>
        text(repeats ? values.everyMilestone : values.milestone, { votes: parts.votes(votes), reward }),
      multiplier: (factor: number, when: Markup) => text(values.multiplier, { factor: number(factor), when }),
      roleFor: (role: Markup, duration: Markup) => text(values.roleFor, { role, duration }),
      tier: (tier: Markup, role: Markup) => text(values.tier, { tier, role }),
      item: (name: Markup, price: number) => text(values.item, { name, price: parts.credits(price) }),
      stored: (count: number) => text(values.stored, { count: number(count) }),
    },
    main: {
      ...fixed.main,
      done: (done: number, total: number) => text(main.done, { done: number(done), total: number(total) }),
      /** `problem` is English. */
      notStored: (problem: Markup) => text(main.notStored, { problem }),
    },
    welcome: {
      ...fixed.welcome,
      unassigned: (listings: Markup) => text(messages.welcome.unassigned, { names: listings }),
    },
    connect: {
      ...fixed.connect,
      held: (name: Markup) => text(messages.connect.held, { name }),
    },
    link: {
      ...fixed.link,
      title: (name: Markup) => text(link.title, { name }),
      siteOpen: (site: Markup) => text(link.siteOpen, { site }),
      openSite: (site: string) => plain(link.openSite, { site }),
      siteTick: (event: Markup) => text(link.siteTick, { event }),
      siteChoose: (choice: Markup) => text(link.siteChoose, { choice }),
      arrived: (time: Markup) => text(link.arrived, { time }),
      voteArrived: (time: Markup) => text(link.voteArrived, { time }),
      unreachable: (time: Markup) => text(link.unreachable, { time }),
      tooMany: (time: Markup) => text(link.tooMany, { time }),
      alreadyLinked: (name: Markup) => text(link.alreadyLinked, { name }),
      linkedByOperator: (name: Markup) => text(link.linkedByOperator, { name }),
      notCompared: (name: Markup) => text(link.notCompared, { name }),
      code: codeBlock,
    },
    votePanel: {
      ...fixed.votePanel,
      posted: (channel: Markup) => text(messages.votePanel.posted, { channel }),
    },
    listing: {
      ...fixed.listing,
      key: (isStored: boolean) => text(listing.key, { state: fixed.listing[isStored ? 'keyStored' : 'keyMissing'] }),
      unlinkTitle: (name: Markup) => text(listing.unlinkTitle, { name }),
    },
    shop: {
      ...fixed.shop,
      removeTitle: (name: Markup) => text(messages.shop.removeTitle, { name }),
    },
    saved: {
      ...fixed.saved,
      /** What the rules would have paid in the last 30 days, now and before the change (credits). */
      wouldHavePaid: ({ before, after }: { readonly before: number; readonly after: number }) =>
        text(saved.wouldHavePaid, { after: parts.credits(after), before: number(before) }),
      change: (name: Markup, before: Markup, after: Markup) => text(saved.change, { name, before, after }),
      ofListing: (name: Markup, setting: Markup) => text(saved.ofListing, { listing: name, name: setting }),
      secretChanged: (name: Markup) => text(saved.secretChanged, { name }),
    },
    problems: {
      ...fixed.problems,
      wholeNumber: (min: number, max: number) => text(problems.wholeNumber, { min: number(min), max: number(max) }),
      channel: (channel: Markup, permissions: string) =>
        text(problems.channel, { channel, permissions: trustedMarkup(permissions) }),
      managedRole: (role: Markup) => text(problems.managedRole, { role }),
      moderatingRole: (role: Markup) => text(problems.moderatingRole, { role }),
      roleAbove: (role: Markup) => text(problems.roleAbove, { role }),
      roleAboveMember: (role: Markup) => text(problems.roleAboveMember, { role }),
      roleAboveHint: (role: Markup) => text(problems.roleAboveHint, { role }),
    },
    history: {
      ...fixed.history,
      line: (time: Markup, author: Markup) => text(history.line, { time, author }),
    },
  };
}
