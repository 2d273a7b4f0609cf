/*
 * All texts that members see, in English; the source of every other language. Texts are Discord markup unless a comment
 * says otherwise. `{name}` is replaced by a value; a text that depends on a number has one form for each category of
 * `Intl.PluralRules`, in which `{count}` is the formatted number. `{time}` is shown by Discord, as "in 3 hours" or as a
 * date. Plain texts (descriptions, options, choices, buttons, footers) show no markup.
 */
import { plain } from '@tallyhook/platform/texts/messages';

export const en = {
  /** Parts of other texts. */
  parts: {
    credits: { one: '**{count}** credit', other: '**{count}** credits' },
    days: { one: '**{count}** day', other: '**{count}** days' },
    votes: { one: '**{count}** vote', other: '**{count}** votes' },
    members: { one: '**{count}** member', other: '**{count}** members' },
    ...plain({
      /** What a list of more than one page says below it. Plain. */
      page: 'page {number} of {of}',
    }),
  },

  /** `kinds` and `option` are plain. */
  listing: {
    kinds: plain({ server: 'server', bot: 'bot' }),
    ...plain({
      option: 'Choose a listing.',
    }),
    /** In place of the name of a listing, within a sentence. */
    unnamed: { server: 'this server', bot: 'this bot' },
    /** Above the names of servers, of which one can be chosen. Markup. */
    severalCommunities: 'You can choose a server here: each has credits of its own.',
    asOf: 'The listing service did not respond. Last updated {time}.',
    /** `{name}` was entered, but is not a listing; `{names}` are listings, and there are `{count}` more. */
    unknown: 'There is no listing {name}. Choose one of these: {names}.',
    unknownOfMany: {
      one: 'There is no listing {name}. Choose one of these, or {count} more: {names}.',
      other: 'There is no listing {name}. Choose one of these, or one of {count} more: {names}.',
    },
  },

  canVote: {
    ...plain({
      description: 'Check if you can vote, or when you can vote again.',
      /** Of `/vote`. */
      listDescription: 'List what you can vote for, with a link to each page.',
      userOption: 'Check another member instead of yourself.',
      voteButton: 'Vote',
      /** On a button; at most 80 characters are shown. */
      voteFor: 'Vote for {name}',
      /** The same for one of several sites. */
      voteOn: 'Vote on {site}',
    }),
    /** Markup. `{name}` is that of a listing, `{user}` a member. */
    titleNow: 'Ready to vote',
    titleLater: 'Not yet',
    youNow: 'You can vote for **{name}** now.',
    memberNow: '{user} can vote for **{name}** now.',
    /** If it is not known whether the member has voted already. */
    youPerhaps: 'You can perhaps vote for **{name}**: the site does not say whether you have voted.',
    memberPerhaps: '{user} can perhaps vote for **{name}**: the site does not say who has voted.',
    youLater: 'You can vote for **{name}** again {time}.',
    memberLater: '{user} can vote for **{name}** again {time}.',
    youRecently: 'You voted for **{name}** recently, and can vote again when the cooldown ends.',
    memberRecently: '{user} voted for **{name}** recently, and can vote again when the cooldown ends.',
    lastVote: 'Last vote: {time}',
  },

  reviews: {
    ...plain({
      description: 'Show reviews of this server.',
      sortOption: 'Sort order (default: newest).',
      starsOption: 'Show only reviews with this many stars (default: all).',
      limitOption: 'How many reviews to show, up to 50 (default: 10).',
      sorts: { newest: 'newest', highest: 'highest', lowest: 'lowest' },
      count: { one: '{shown} of {count} review', other: '{shown} of {count} reviews' },
      /** Some of all reviews. */
      first: {
        newest: 'Newest {shown} of {count}',
        highest: 'Best rated {shown} of {count}',
        lowest: 'Lowest rated {shown} of {count}',
      },
      /** Below reviews with as many stars: "With 4 stars: 3 of the newest 50 reviews". `{found}` is one of the next texts. */
      filtered: { one: 'With {count} star: {found}', other: 'With {count} stars: {found}' },
      found: {
        newest: { one: '{shown} of the newest review', other: '{shown} of the newest {count} reviews' },
        highest: { one: '{shown} of the highest rated review', other: '{shown} of the {count} highest rated reviews' },
        lowest: { one: '{shown} of the lowest rated review', other: '{shown} of the {count} lowest rated reviews' },
      },
      /** How many of them are shown. */
      shown: '{number} shown',
      /** In a select: all reviews, and how many have as many stars. */
      anyStars: 'All reviews',
      withStars: { one: '{count} review', other: '{count} reviews' },
      previous: 'Previous',
      next: 'Next',
    }),
    title: 'Reviews',
    none: 'Nobody has written a review yet. Be the first!',
    anonymous: 'Anonymous',
    noRating: 'No rating',
    noComment: '*No text.*',
    noneMatch: 'No review found with this many stars.',
  },

  stats: {
    ...plain({
      description: 'Show the profile and votes of a server or bot.',
      pageButton: 'View listing',
    }),
    /** Markup: the names of numbers. */
    votes: 'Votes',
    monthlyVotes: 'Votes this month',
    members: 'Members',
    online: 'Online',
    channels: 'Channels',
    roles: 'Roles',
    servers: 'Servers',
    shards: 'Shards',
    category: 'Category',
    tags: 'Tags',
    rating: 'Rating',
    ...plain({
      /** Below a picture of the votes. Plain. */
      chart: 'The counts are those of the listing service. The chart has the votes that arrived here.',
      /** Below counts of votes, where the site tells none. Plain. */
      recorded: 'Counted are the votes that arrived here.',
    }),
  },

  /** Plain. The words are drawn in a picture, so they are short; `total` is the heading of the sum of 30 days. */
  votePicture: plain({
    title: 'Votes per day',
    /** The day of the first vote, if there was none before in the 30 days. */
    since: 'since {date}',
    total: '30 days',
    average: 'average',
    maximum: 'maximum',
    weekend: 'weekend',
    /** Describes the picture for screen readers. `{first}`, `{last}` and `{best}` are days, the others numbers. */
    description:
      'Bar chart of the votes per day from {first} to {last}. Total: {total}. Average per day: {average}. Maximum: {maximum} on {best}.',
  }),

  remind: {
    ...plain({
      description: 'Get a direct message when you can vote again.',
      stateOption: 'Switch your reminders on or off.',
      states: { on: 'on', off: 'off' },
      button: 'Remind me',
      /** One hour and six hours, short. */
      snoozeButtons: { 1: '1 h', 6: '6 h' },
      stopButton: 'Stop',
    }),
    /** Markup. `{name}` is that of a listing, `{command}` a slash command. */
    titleOn: 'Reminders are on',
    titleOff: 'Reminders are off',
    titleSnoozed: 'Reminder postponed',
    titleVoted: 'You have already voted',
    now: 'You can vote for **{name}** now.',
    next: 'Your next reminder for **{name}** comes {time}.',
    afterVotes: 'After each vote, a direct message tells you when you can vote again.',
    off: 'You get no more reminders. {command} switches them on again.',
    directMessagesClosed:
      'Discord does not let the bot send you direct messages, so your reminders were switched off. Allow direct messages from members of this server, then switch them on again with {command}.',
    /** The direct message itself. */
    messageTitle: 'You can vote again',
    message: '**{name}** looks forward to your vote.',
  },

  credits: {
    ...plain({
      description: 'Show your credits, rank and streak.',
      /** In the menu of a member; at most 32 characters. */
      menu: 'Credits',
      userOption: 'Show the account of another member.',
      remindButton: 'Remind me',
      shopButton: 'Shop',
    }),
    title: 'Credits',
    /** `{credits}` is a number with its noun. */
    ranked: '{credits} · rank **#{rank}**',
    streak: 'Streak: {days}, ends {time} without another vote',
    noStreak: 'No streak at the moment',
    nextVote: 'Next vote',
    now: '**{name}**: now',
    later: '**{name}**: from {time}',
    nextMilestone: 'Next milestone',
    /** `{votes}` is a number; `{reward}` is what is paid then. */
    milestone: {
      one: 'At **{votes}** votes, {count} more vote: {reward}',
      other: 'At **{votes}** votes, {count} more votes: {reward}',
    },
    reward: '+{credits}',
    role: 'the role {role}',
    /** Where roles cannot be shown. */
    someRole: 'a role',
    entries: 'Latest entries',
    noEntries: 'None yet',
    /** `{date}` is a day, such as November 20. */
    votedEverywhere: 'Voted everywhere on {date}',
    /** Why credits were added or subtracted. */
    causes: {
      vote: 'Vote',
      denied: 'Vote without credits from the service',
      claim: 'Claimed vote',
      within_cooldown: 'Vote within the cooldown',
      premium: 'Premium',
      revoked: 'Revoked premium',
      streak: 'Streak',
      milestone: 'Milestone',
      party: 'Vote party',
      allListings: 'Votes on all listings',
      firstVote: 'First vote of the day',
      purchase: 'Purchase',
      refund: 'Refund',
      correction: 'Correction',
    },
    /** An entry of a later version, which has other causes. */
    otherCause: 'Other',
  },

  leaderboard: {
    ...plain({
      description: 'Show who has the most votes or credits.',
      periodOption: 'The time that counts (default: all time).',
      byOption: 'What to rank by (default: credits).',
      periods: { week: 'this week', month: 'this month', all: 'all time' },
      scores: { votes: 'votes', credits: 'credits', streak: 'streak' },
      members: { one: '{count} member', other: '{count} members' },
      previous: 'Previous',
      next: 'Next',
      me: 'Me',
    }),
    titles: {
      votes: { week: 'Most votes this week', month: 'Most votes this month', all: 'Most votes' },
      credits: { week: 'Most credits this week', month: 'Most credits this month', all: 'Most credits' },
      streak: 'Longest current streaks',
    },
    line: '**#{rank}** {user} · {score}',
    none: 'Nobody is ranked here yet. Be the first!',
    notRanked: '{user} is not ranked here yet.',
  },

  shop: {
    ...plain({
      description: 'Buy something with your credits.',
      button: 'Shop',
      buy: 'Buy',
      confirm: 'Confirm',
      cancel: 'Cancel',
      previous: 'Previous',
      next: 'Next',
      done: 'Done',
      refund: 'Refund',
      purchases: 'My purchases',
    }),
    /** Markup. `{name}` is that of an item, `{price}` a number of credits with its noun. */
    title: 'Shop',
    empty: 'There is nothing to buy here.',
    balance: 'Your balance: {credits}',
    free: 'free',
    left: { one: '{count} left', other: '{count} left' },
    soldOut: 'sold out',
    role: 'role {role}',
    roleFor: 'role {role} for {duration}',
    code: 'a code',
    manual: 'handed out by the team',
    requires: 'only with {role}',
    rejections: {
      unknown_item: 'This item is no longer in the shop.',
      price_changed: 'The price has changed. Please look at the item again.',
      role_required: 'Only for {role}.',
      already_owned: 'You have this role already, without an end.',
      not_ready: "Not available yet. Your server's team has to finish setting it up.",
      sold_out: 'This item is sold out.',
      overdrawn: 'You do not have enough credits.',
    },
    /** A confirmed purchase that could not be stored. */
    notCharged: 'You cannot buy this at the moment. Nothing was charged. Please try again later.',
    confirmation: {
      title: 'Buy this?',
      item: '**{name}**: {price}',
      /** `{before}` and `{after}` are numbers. */
      balance: 'Your balance: **{before}** → **{after}**',
      role: 'You get the role {role}.',
      roleUntil: 'You get the role {role} until {time}.',
      code: 'You get a code that only you can see.',
      manual: 'The team of this server is told, and hands it out.',
    },
    receipt: {
      title: 'Thank you!',
      refundedTitle: 'Refunded',
      bought: 'You bought **{name}** ({price}).',
      role: 'The role {role} is yours.',
      roleUntil: 'The role {role} is yours until {time}.',
      roleSoon: 'It takes a moment until Discord shows it. If Discord refuses, you get your credits back.',
      code: 'Your code, which is only yours:',
      manual: 'The team has been informed. You get a direct message when it is done.',
      fulfilled: 'It is done.',
      refunded: 'You got your credits back.',
      balance: 'Your new balance: {credits}',
    },
    history: {
      title: 'Your purchases',
      none: 'You have not bought anything yet.',
      newest: { one: 'The newest one is shown.', other: 'The newest {count} are shown.' },
      states: { confirmed: 'waiting for the team', fulfilled: 'done', refunded: 'refunded' },
      /** In place of `confirmed`, of a role. */
      rolePending: 'on its way',
    },
    /** In the owner's channel. `{manager}` is a member. */
    report: {
      title: 'Purchase {id}',
      text: '{user} bought **{name}** ({price}).',
      todo: 'Press Done when the buyer has it. The buyer gets a direct message.',
      closed:
        'The buyer of **{name}** ({price}) had their data deleted before this was done, so the purchase was closed and refunded. There is nothing to do.',
      unreadyTitle: 'An item cannot be bought',
      unready: '**{name}** is in the shop, but nobody can buy it.',
      refundedRole: 'Discord did not give the role, so the price was refunded, and the item is in stock again.',
      fulfilledBy: 'Done, by {manager}.',
      refundedBy: 'Refunded, by {manager}.',
      fulfilledBefore: 'This purchase is done already.',
      refundedBefore: 'This purchase was refunded already.',
      notFulfilled: 'This purchase is not done yet.',
    },
    /** Direct messages to the buyer. */
    message: {
      fulfilledTitle: 'Your purchase is done',
      fulfilled: '**{name}** is yours now.',
      refundedTitle: 'Your purchase was refunded',
      refunded: '**{name}** could not be delivered. You got the price back: {price}.',
    },
  },

  claim: {
    ...plain({
      description: 'You voted and got nothing? Get your credits.',
    }),
    /** Markup. `{name}` is that of a listing. */
    titleClaimed: 'Vote recorded',
    titleNothing: 'Nothing to claim',
    claimed:
      'The listing service confirms your vote for **{name}** {time}. It had not arrived here, and is recorded now.',
    recorded: 'We have your vote for **{name}** of {time}.',
    paid: 'It earned {credits}.',
    claimedBefore: 'You have claimed it before.',
    denied: 'The service denied the credits.',
    deniedBecause: 'The service denied the credits, with this reason: **{reason}**.',
    /** `{time}` is that of the vote, `{recorded}` that of an earlier one. */
    withinCooldown:
      'Your vote for **{name}** of {time} is too close to the one of {recorded}, which is recorded. Only one vote per cooldown counts.',
    forgotten: 'This vote was recorded for an account that you had deleted with /privacy.',
    noVote: 'The listing service has no vote of yours for **{name}** that could be claimed.',
    tooOld: 'Your last vote for **{name}** was at {time}. Only votes since {since} can be claimed.',
    /** `{site}` is the name of a listing site. */
    siteSilent:
      '{site} does not say whether you have voted, so your vote for **{name}** cannot be checked. Ask the team of the server: they can give you the credits.',
    unknownTime:
      'The listing service reports a vote for **{name}**, but no usable time, so it cannot be recorded. Please contact the operators of this bot.',
  },

  privacy: {
    ...plain({
      description: 'Export what is stored about you, or have it forgotten.',
      actionOption: 'What to do.',
      actions: {
        export: 'export: get everything as a file',
        forget: 'forget: delete what identifies you',
        unlink: 'unlink: stop giving your votes to Discord for linked roles',
      },
      fileDescription: 'Everything that is stored about you, as JSON.',
      confirmButton: 'Confirm',
      cancelButton: 'Cancel',
    }),
    titleExport: 'Your data',
    nothing: 'Nothing is stored about you.',
    exported:
      'The file has everything that is stored about you: your account with its history, the messages of the listing service about you, and what was sent because of them.',
    titleConfirm: 'Forget you?',
    /** Above `confirm`, if several servers use the bot. */
    everyCommunity: 'This covers your accounts in **all servers** that use this bot.',
    confirm:
      'Your credits, streak and roles are lost, your reminders are cancelled, and the messages of the listing service about you are deleted. This cannot be undone.\n\nWhat remains is not linked to you: amounts and times under a random name, and fingerprints that keep a repeated vote from being paid twice. Messages in Discord, backups and logs are not changed. Your next vote starts a new account.',
    titleForgotten: 'Forgotten',
    forgotten:
      'What was stored about you can no longer be linked to you. Roles that you received for votes or purchases are being removed.',
    titleCancelled: 'Cancelled',
    titleUnlinked: 'Linked roles',
    unlinked: 'Your account is no longer linked. Discord takes the linked roles away.',
    notLinked: 'Your account is not linked.',
    cancelled: 'Nothing was changed.',
  },

  console: {
    ...plain({
      overview: 'Overview',
      deliveries: 'Votes received',
      actions: 'Sent by the bot',
      members: 'Members',
      listings: 'Listings',
      rewards: 'Rewards',
      announcements: 'Announcements',
      settings: 'Settings',
      changes: 'Changes',
      servers: 'Servers',
      signOut: 'Sign out',
      votesToday: 'votes today',
      votesThisMonth: 'votes this month',
      creditsThisMonth: 'credits paid this month',
      membersWithCredits: 'members with credits',
      creditsHeld: 'credits that members have',
      ordersWaiting: 'orders waiting for you',
      votesPerDay: 'Votes of the last 30 days',
      topVoters: 'Top voters of this month',
      noProblems: 'Nothing needs your attention.',
      save: 'Save',
      preview: 'Preview',
      previewHint: 'As the settings say, with sample members.',
      /** What an announcement is about. */
      previews: {
        vote: 'a vote',
        voteWithRole: 'a vote that earned a role',
        milestone: 'a milestone',
        denied: 'a denied vote',
        digest: 'a digest',
        premium: 'premium',
        lostStreaks: 'lost streaks',
        review: 'a review',
        test: 'a test',
      },
      /** The text of the sample review. */
      previewReview: 'A friendly place.',
      skip: 'Skip to content',
      times: 'All times are in UTC.',
      /** Names of columns and facts. */
      labels: {
        delivery: 'Delivery',
        received: 'Received',
        kind: 'Kind',
        site: 'Site',
        outcome: 'Outcome',
        member: 'Member',
        memberId: 'Member ID',
        time: 'Time',
        cause: 'Cause',
        reason: 'Reason',
        author: 'Author',
        rank: 'Rank',
        balance: 'Balance',
        since: 'Since (UTC)',
        until: 'Until (UTC)',
        countedVotes: 'Counted votes',
        rankByCredits: 'Rank by credits',
        item: 'Item',
        state: 'State',
        created: 'Created',
        due: 'Due',
        finished: 'Finished',
        attempts: 'Attempts',
        queue: 'Queue',
      },
      any: 'all',
      filter: 'Filter',
      clear: 'Clear',
      noDeliveries: 'No deliveries match this filter.',
      /** What a delivery has paid, or why nothing. */
      outcomes: {
        paid: 'paid',
        unpaid: 'paid nothing',
        recorded: 'recorded',
        duplicate: 'repeat',
        test: 'test',
        quarantined: 'not understood',
        ignored: 'not a vote',
      },
      /** What a delivery is about. */
      kinds: {
        server_vote: 'vote',
        bot_vote: 'vote for the bot',
        premium_purchase: 'premium bought',
        renewed: 'premium renewed',
        expired: 'premium ended',
        revoked: 'premium revoked',
      },
    }),
    /** What became of a delivery. `{credits}` is a number with its noun, `{user}` a name. */
    why: {
      ...plain({
        duplicate: 'The same event was recorded before, so this duplicate paid nothing.',
        test: 'This is a test from the dashboard. It is announced as a test, and neither pays nor counts.',
        ignored: 'This is another event of the listing site. It neither pays nor counts.',
        rejected: 'Its listing had many more votes than usual, and this one was rejected. It neither pays nor counts.',
        unconfirmed: 'The vote is stored, and paid as soon as its site confirms it. The site is asked for 24 hours.',
        rateAlarm:
          'Its listing has many more votes than usual. It is stored, and paid when the held votes are released.',
        refused: 'Its site did not confirm the vote, so it was not paid. Replay it to pay it all the same.',
        ended: 'It ends a purchase: nothing is paid, and nothing is taken back.',
        cooldown: 'This member has another vote within the cooldown, so this vote paid nothing and does not count.',
      }),
      paid: 'It was recorded once, and paid {credits} to {user}.',
    },
    ...plain({
      whyTitle: 'Why',
      details: 'Details',
      original: 'Original: {delivery}',
      followed: 'What was done',
      replay: 'Replay',
      replayHint: 'Processes the delivery again with the current version and configuration. It is never paid twice.',
      memberTitle: 'Member {name}',
      none: 'none',
      permanent: 'permanent',
      streakEnds: 'ends {time}',
      nextVote: 'Next vote for {name}',
      now: 'now',
      noVotes: 'no votes yet',
      entries: 'Entries',
      noEntries: 'The ledger has no entries of this member.',
      ofProgram: 'your program, key {key}',
      correct: {
        title: 'Correct the account',
        credits: 'Credits (negative to take back)',
        review: 'Check, then save',
        hint: 'Entries are never changed: a correction is an additional entry with your reason.',
        question: 'Correct this account?',
      },
      unpaid: 'Deliveries that paid nothing',
      noUnpaid: "None among this member's newest 100 deliveries.",
      ofMember: 'All deliveries of this member',
      another: 'Another member',
      search: "Member's name or Discord ID",
      lookUp: 'Look up',
      notFound:
        'No member called {name} is known. Names are those of the newest votes and of Discord. With the ID it always works: in Discord, with Developer Mode on (Settings → Advanced), right-click the member and choose Copy User ID.',
      found: 'Found members',
      balances: 'Balances',
      noBalances: 'Nobody has credits yet.',
      moreMembers: 'More members',
      forgotten: 'forgotten member',
      undoChange: 'Undo a change',
      noCorrections: 'Nobody has corrected an account yet.',
      operator: 'operator',
      /** After what somebody has done. */
      notices: {
        signedOut: 'You are signed out.',
        corrected: 'The account was corrected. The new entry is the first in the list.',
        repeated: 'This correction was already made. Nothing was booked twice.',
        recorded: 'The delivery was processed and recorded.',
        test: 'The delivery was processed: it is a test.',
        duplicate: 'The event of this delivery is already recorded. Nothing was booked twice.',
        ignored: 'The delivery was processed: it is another event of the site, and pays nothing.',
        quarantined: 'The delivery still cannot be processed. It stays in quarantine.',
        signedIn: 'You are signed in.',
        released: 'The held votes are being paid.',
        rejected: 'The held votes are rejected.',
        reversed: 'The votes were reversed.',
        revived: 'The action is waiting again, and is tried at once.',
      },
      noTopVoters: 'Nobody has voted this month.',
      lostVote: '“I voted and got nothing”',
      lostVoteHint: 'Look up the member to see what votes paid, and why others paid nothing.',
      attention: 'Needs your attention',
      quarantined: {
        one: '{count} quarantined delivery: genuine, but could not be processed. Nothing was paid for it yet.',
        other: '{count} quarantined deliveries: genuine, but could not be processed. Nothing was paid for them yet.',
      },
      failed: {
        one: '{count} action failed: an announcement, a role or a message. Fix the cause and replay it.',
        other: '{count} actions failed: announcements, roles or messages. Fix the cause and replay them.',
      },
      keyRefused:
        'The service rejects the API key of {name}. Create a new key in its dashboard, Edit server → Advanced setup, and configure it.',
      wrongShape:
        "The service's responses for {name} do not match its document. The log names the field; check for a newer version of tallyhook.",
      /** `{votes}` is a number with its noun, `{most}` a number, the others are days. */
      chart: '{votes} from {first} to {last}; most on {day}: {most}.',
      noVotesInTime: 'No votes in this time.',
      working: 'working',
      notReady: 'not ready',
      allReady: 'Everything is ready',
      lastDelivery: 'last delivery {time}',
      noDelivery: 'no delivery yet',
      /** Of actions, of which there may be one or several. */
      states: { waiting: 'Waiting', done: 'Done', buried: 'Failed' },
      actionsHint: 'What the bot does in Discord, such as announcements and roles.',
      noActions: 'There are none.',
      directMessagesClosed: 'The member does not accept direct messages from the bot, or shares no server with it.',
      /** Why something failed. `{channel}` is a channel. */
      unknownKind: 'unknown kind of event',
    }),
    noChannel: 'The channel {channel} does not exist any more. Choose another one in the settings.',
    ...plain({
      discordFailed: 'Discord did not respond as expected.',
      /** Of a delivery. */
      body: {
        title: 'Body',
        pruned: 'Deleted because of its age, perhaps with its actions. The entry and the balance do not depend on it.',
        shared: 'The body of the delivery that this one repeats. A repeat is stored without its own.',
        raw: 'Raw body, as it was signed',
      },
      /** Of the program, in the status. */
      parts: { database: 'Database', requests: 'Requests to Discord' },
      requestsLeft: 'Requests left for {name}',
      /** In place of the name of a site. */
      service: 'listing service',
      leftOf: '{left} of {limit} this minute',
      /** A listing that is not on a listing site. */
      storesOnly: 'It stores what is sent to its address, and pays nothing.',
      /** Many more votes than usual. `since` is followed by a number of votes. */
      held: {
        since: 'Held since {time}',
        release: 'Release',
        reject: 'Reject',
        releasing: 'Still to be released: {votes}. This takes a moment.',
        rejecting: 'Still to be rejected: {votes}. This takes a moment.',
        hint: 'Before you reject, replace the secret, here and at the site: votes that arrive after that are held again. Released votes are paid with their own times, and there is no alarm for a day. Rejected ones are never paid.',
      },
      reversal: {
        title: 'Reverse votes',
        from: 'From',
        until: 'Until',
        question: 'Reverse these votes?',
        hint: 'The credits are taken back as far as members still have them, with milestones that are not reached without these votes. The votes no longer count, and their roles end.',
        order: 'The end must be later than the beginning.',
      },
      rules: 'Active rules',
      orders: 'Shop orders',
      noOrders: 'Nobody has bought anything yet.',
      /** How many roles are in which state. */
      roles: { applied: 'given', pending: 'being changed', parked: 'rejected by Discord' },
      reminders: {
        title: 'Reminders',
        scheduled: 'members with a scheduled reminder',
        dueSoon: 'due within an hour',
        closed: 'switched off, direct messages closed',
        hint: 'A reminder is scheduled by a vote. Members who have not voted since the last one are not counted.',
      },
      noServers:
        'Votes are not set up in any server that you manage. Use /setup there; after that, sign out and in again.',
      signIn: 'Sign in',
      signInWithDiscord: 'Sign in with Discord',
      staySignedIn: 'You stay signed in for {duration}.',
      /** The operator's, whose setting is `{name}`. */
      token: {
        summary: 'I operate this bot',
        label: 'Owner token',
        hint: 'The value of the setting {name}.',
        wrong: 'Wrong owner token. Compare it with {name}, and check for a trailing space.',
      },
      errors: {
        notFound: 'There is no such page here.',
        conflict: 'Nothing was changed, because something has changed meanwhile. Open the page again.',
        invalid: 'This link or form is not valid. Go back and try again.',
        sessionEnded: 'Your session has ended. Sign in and send the form again.',
        notManaged: 'You do not have the permission Manage Server there, or votes are not set up in that server.',
        cancelled: 'You did not give the permission on Discord, so you are not signed in.',
      },
    }),
  },
  linkedRoles: plain({
    /** What Discord calls the connection in a member's profile; at most 50 characters. */
    platform: 'Votes',
    /**
     * Conditions in the settings of a role: names of at most 100 and descriptions of at most 200 characters. Discord
     * shows the number after the description.
     */
    records: {
      votes: { name: 'Votes', description: 'Counted votes, at least' },
      streak: { name: 'Vote streak', description: 'Days of the current streak, at least' },
      last_vote: { name: 'Last vote', description: 'Days since the last vote, at most' },
      premium: { name: 'Premium', description: 'Has premium' },
    },
    /** A page in the browser. */
    page: {
      titleLinked: 'Linked',
      linked: 'Discord now knows your votes, and gives you the roles that you qualify for. You can close this page.',
      undo: 'To undo it, use /privacy in Discord.',
      titleFailed: 'Not linked',
      again: 'Start again',
    },
  }),

  /** Pages in the browser to which links lead. Plain. */
  webPage: plain({
    back: 'Back to Discord',
    cancelled: 'You did not give the permission, so nothing was linked.',
    expired: 'This link has expired or was used before.',
    unavailable: 'Discord or the database did not respond. Please try again in a minute.',
    tooMany: 'Too many attempts. Please try again in a minute.',
  }),

  help: {
    ...plain({
      description: 'Show the commands that you can use.',
      commandOption: 'Show the options of one command.',
    }),
    title: 'Commands',
    everyone: '**For everyone**',
    /** Above the names of commands. */
    menus: '**In the menu of a member, under Apps**',
    managers: '**For members with the permission Manage Server**',
  },

  award: {
    ...plain({
      description: 'Add credits to the account of a member, or subtract them.',
      /** As that of the credits. */
      menu: 'Award credits',
      /** Labels in a form. */
      creditsField: 'Credits',
      reasonField: 'Reason',
      userOption: 'The member.',
      creditsOption: 'How many credits to add; a negative number subtracts.',
      reasonOption: 'The reason, stored with the credits.',
    }),
    title: 'Done',
    result: '{user} now has {credits} ({change}).',
    reason: 'Reason: {reason}',
    overdrawn: '{user} has only {credits}, and a balance cannot be less than zero. Nothing was changed.',
    invalid: 'Enter a member, a reason, and a whole number of credits that is not 0, from -{max} to {max}.',
  },

  trace: {
    ...plain({
      description: 'Show what happened to the last votes of a member.',
      /** As that of the credits. */
      menu: 'Trace votes',
      userOption: 'The member.',
    }),
    title: 'Trace',
    of: 'The last votes and purchases of {user}',
    unknownListing: 'unknown listing',
    /** Why credits were added, and how many. */
    entry: '{cause}, {credits}',
    ended: 'end of a purchase',
    duplicate: 'repeated, counts only once',
    test: 'test, does not count',
    aheadOfTime: 'Its time is in the future. It is stored, and recorded when that time is reached.',
    unconfirmed: 'waits until its site confirms it',
    ignored: 'another event, does not count',
    announced: 'announced',
    quarantined: 'Stored, because it could not be processed: {reason}',
    /** What was done because of it. */
    effects: {
      announcement: 'Announcement',
      role: 'Role',
      directMessage: 'Direct message',
      ownerReport: "Report in the owner's channel",
      partyReward: 'Reward of the vote party',
      partyPanel: 'Progress of the vote party',
      partyReached: 'Goal of the vote party',
      confirmation: 'Confirmation by the site',
      webhook: 'Event for another program',
      unknown: 'Something else',
    },
    /** `{effect}` is one of those above. */
    waiting: '{effect}: waiting',
    retried: '{effect}: failed, and is tried again: {reason}',
    failed: '{effect}: failed permanently: {reason}',
    nothing:
      'Nothing has arrived for {user}: no vote, no purchase, and no test. If the listing service shows a vote, check its webhook settings; {user} can use /claim.',
    entries: 'Other credits',
    roles: 'Roles',
    /** After the state of a role. */
    until: 'until {time}',
    roleStates: {
      applied: 'the member has it',
      pending: 'being changed in Discord',
      parked: 'could not be changed in Discord',
    },
  },

  /** `{user}` is a member, or `someone`; `{name}` is that of a listing. */
  announcement: {
    ...plain({
      /** Leads to the listing, under the vote of somebody else. Plain. */
      voteButton: 'Vote too',
    }),
    titles: {
      vote: 'Thank you for the vote!',
      bought: 'Premium purchased',
      renewed: 'Premium renewed',
      expired: 'Premium expired',
      revoked: 'Premium revoked',
      event: 'Listing event',
    },
    /** The title of a vote that reaches a milestone. */
    milestone: { one: 'Milestone: {count} vote', other: 'Milestone: {count} votes' },
    test: 'This is a test',
    tested: 'The webhook of **{name}** works: a test has arrived. Tests give no credits.',
    someone: 'Someone',
    /** In place of the name of a tier. */
    premium: 'premium',
    voted: '{user} voted for **{name}**.',
    bought: '{user} got {tier} for **{name}**.',
    gifted: '{user} got {tier} for **{name}** as a gift from {giver}.',
    renewed: '{user} renewed {tier} for **{name}**.',
    expired: 'The subscription of {user} to {tier} for **{name}** has expired.',
    someExpired: 'A subscription to {tier} for **{name}** has expired.',
    revoked: 'The subscription of {user} to {tier} for **{name}** was revoked.',
    someRevoked: 'A subscription to {tier} for **{name}** was revoked.',
    event: '**{name}**: {event}.',
    eventBy: '**{name}**: {event}, by {user}.',
    credits: '+{credits}',
    noCredits: 'No credits this time.',
    /** `{calculation}` is how the credits were multiplied, such as 10 × 2. */
    multiplied: '{credits} ({calculation})',
    bonuses: {
      streak: { one: '{count}-day streak: +**{credits}**', other: '{count}-day streak: +**{credits}**' },
      milestone: { one: '{count} vote: +**{credits}**', other: '{count} votes: +**{credits}**' },
      allListings: 'Every listing today: +**{credits}**',
      firstVote: 'First vote of the day: +**{credits}**',
      unknown: 'Bonus: +**{credits}**',
    },
    moreBonuses: { one: '{count} more: +**{credits}**', other: '{count} more: +**{credits}**' },
    moreRoles: { one: '{count} more role', other: '{count} more roles' },
    roleUntil: '{role} until {time}',
    roleFor: '{role} for {duration}',
    balance: 'Balance: {credits}',
    because: 'Reason given by the service: {reason}',
    reasons: {
      within_cooldown: 'The previous vote was too recent.',
      order_revoked: 'The purchase was revoked earlier.',
      denied: 'The service denied the credits.',
    },
  },

  /** What a listing received in a period. `{name}` is that of the listing, `{user}` a member. */
  digest: {
    title: 'Votes for {name}',
    /** `{votes}` and `{members}` are numbers with their nouns. */
    votes: '{votes} from {members}',
    credits: 'Earned: {credits}',
    top: 'Top voters',
    voter: '{user}: {votes}',
    milestones: 'Milestones',
    milestone: { one: '{user} reached **{count}** vote.', other: '{user} reached **{count}** votes.' },
    more: { one: '… and {count} more', other: '… and {count} more' },
  },

  lostStreaks: {
    title: 'Streaks that ended',
    /** `{days}` is a number with its noun. */
    streak: '{user}: {days}',
    more: { one: '… and {count} more', other: '… and {count} more' },
    hint: 'The next vote starts a new streak.',
  },

  newReview: {
    title: 'New review of {name}',
    /** `{rating}` are stars, `{author}` is a name. */
    heading: '{rating} · {author}',
  },

  party: {
    title: 'Vote party',
    reachedTitle: 'Vote party: the goal was reached',
    endedTitle: 'Vote party: the time is over',
    progress: '**{votes}** of **{goal}** votes',
    reward: 'When the goal is reached, everyone who voted receives {credits}.',
    ends: 'Ends {time}.',
    missed: 'The goal was not reached.',
    goalTitle: 'The goal is reached!',
    goal: { one: 'Together you have cast **{count}** vote.', other: 'Together you have cast **{count}** votes.' },
    goalReward: 'Everyone who voted receives {credits}.',
  },

  /** The message with which members vote. `creditsButton` is plain. */
  votePanel: {
    title: 'Vote for {name}',
    reward: 'Each vote earns {credits}.',
    rewardToday: 'Each vote earns {credits} today.',
    ...plain({
      creditsButton: 'My credits',
    }),
    /** In the owner's channel, once. */
    goneTitle: 'The vote panel is gone',
    gone: 'The vote panel in {channel} was deleted, or the bot may no longer post there. To get a new one, use /setup.',
  },

  /** Messages in the owner's channel. */
  ownerReport: {
    /** `{votes}` and `{usual}` are numbers of votes, `{command}` is one of the command line. */
    alarmTitle: 'Unusually many votes for {listing}',
    alarm: 'Paid within an hour: {votes}; usual: {usual}. Further votes from {site} are stored, but not paid.',
    alarmHint:
      'Whoever sees one request of {site} can forge votes. If you did not expect so many, replace the secret first. Then release or reject the stored votes in the owner console, or with {command}.',
    roleTitle: 'A role could not be changed',
    give: 'I cannot give {role} to {user}.',
    take: 'I cannot take {role} from {user}.',
    /** In place of why and what to do. All other causes are in `setup.problems`. */
    memberLeft: 'The member has left the server, and gets the role with the next vote or command after returning.',
    once: 'Each cause is reported once per role. The owner console lists everything that failed.',
    /** `{host}` is the host of an address, `{reason}` why the last request failed. */
    webhookPausedTitle: 'Events are no longer sent to one of your addresses',
    webhookPaused: 'Every request to {host} has failed for days, or the address is gone: {reason}',
    webhookPausedHint: 'What was not sent is kept. Correct the address in the settings, or have it tried again there.',
  },

  /**
   * A direct message to the manager who last changed the settings of a server that has removed the bot. `{name}` is its
   * listing, `{command}` one of the command line.
   */
  departure: {
    title: 'The bot was removed from your server',
    titleSoon: 'The data of your server will be deleted soon',
    text: 'The settings, credits and votes of **{name}** will be deleted {time}.',
    keep: 'To keep them, add the bot to the server again before then. The operator of the bot can also save a copy of the settings with {command}.',
  },

  /** The reasons in the server's audit log for changes of a member's roles. Plain. */
  role: plain({
    added: 'tallyhook: the role was earned',
    removed: 'tallyhook: the role has ended',
  }),

  /**
   * `/setup`, for managers. `fields` and `choices` are the labels and choices of forms (at most 45 and 100 characters),
   * `hints` are descriptions below a label (at most 100, with
   * {placeholders} in place of 36 characters), `forms` titles of forms (at most 45), `buttons` labels of
   * buttons (at most 34). All of these are plain, the others are markup.
   */
  setup: {
    ...plain({
      description: 'Set up this bot for your server.',
    }),
    sections: plain({
      listing: 'Listing',
      channels: 'Channels',
      rewards: 'Rewards',
      roles: 'Roles',
      cooldown: 'Waiting time',
      shop: 'Shop',
      announcements: 'Announcements',
    }),
    buttons: plain({
      link: 'Link a listing',
      pasteKey: 'Paste an API key',
      enterSecret: 'Enter the secret',
      linkHere: 'Link it here',
      connect: 'Connect',
      findKey: 'Where do I find it?',
      more: 'More',
      checkAgain: 'Check again',
      later: 'Later',
      next: 'Next',
      overview: 'Overview',
      edit: 'Edit',
      editAgain: 'Edit again',
      undo: 'Undo',
      reset: 'Reset',
      history: 'History',
      older: 'Older',
      newest: 'Newest',
      export: 'Export',
      import: 'Import',
      credits: 'Credits',
      streak: 'Streak',
      party: 'Vote party',
      votePanel: 'Post a vote panel',
      tests: 'Test the webhook',
      newKey: 'Replace API key',
      voteSecret: 'New vote secret',
      premiumSecret: 'New premium secret',
      dropSecrets: 'Remove old secrets',
      unlink: 'Unlink',
      confirmUnlink: 'Yes, unlink',
      confirm: 'Confirm',
      cancel: 'Cancel',
      style: 'Style',
      text: 'Text',
      addRole: 'Add a role',
      addCodes: 'Add codes',
      addManual: 'Add another item',
      limits: 'Stock and role',
      remove: 'Remove',
      simple: 'Simple',
      lively: 'Lively',
      ownNumbers: 'Own numbers',
      voteNow: 'Vote now',
      giveRole: 'Give voters a role',
      openShop: 'Open the shop',
    }),
    forms: plain({
      link: 'Link a listing',
      key: 'Replace the API key',
      voteSecret: 'New vote secret',
      premiumSecret: 'New premium secret',
      import: 'Import settings',
      channels: 'Channels',
      credits: 'Credits',
      streak: 'Streak',
      party: 'Vote party',
      milestone: 'Milestone',
      multiplier: 'Multiplier',
      roles: 'Roles',
      tier: 'Role of a premium tier',
      cooldown: 'Waiting time',
      style: 'Announcements',
      text: 'Text of announcements',
      item: 'Item of the shop',
      limits: 'Stock and required role',
    }),
    fields: plain({
      kind: 'What is listed?',
      botId: 'Discord ID of the bot',
      lookupKey: 'API key',
      voteSecret: 'Vote secret',
      premiumSecret: 'Premium secret',
      secret: 'Secret',
      siteKey: 'API token of the site',
      slug: 'Name in the address of the page there',
      siteName: 'Name of the site',
      header: 'Header with the secret',
      user: 'Field with the Discord ID of the voter',
      test: 'How a test is marked',
      settings: 'Exported settings',
      settingsFile: 'Exported file',
      announceChannel: 'Announcements',
      premiumChannel: 'Premium',
      ownerChannel: 'Reports for your team',
      vote: 'Credits per vote',
      premium: 'Credits for premium',
      whenDenied: 'Credits if the service denies them',
      allListings: 'Bonus for voting on all listings in a day',
      firstVote: 'Bonus for the first vote of a day',
      cooldown: 'Time between two votes of a member',
      streakDays: 'Days in a row',
      streakCredits: 'Credits for them',
      forgive: 'Missed days that are forgiven',
      timeZone: 'Time zone',
      otherTimeZone: 'Another time zone',
      goal: 'Votes to reach together',
      per: 'Within a',
      partyCredits: 'Credits for everyone who voted',
      votes: 'Number of votes',
      repeats: 'How often?',
      milestoneCredits: 'Credits',
      milestoneRole: 'Role',
      factor: 'Multiply the credits of a vote by',
      days: 'On these days',
      multiplierRole: 'For members with this role',
      remove: 'Remove it',
      voterRole: 'Role for voters',
      voterRoleFor: 'How long after each vote?',
      milestoneRoles: 'Roles of milestones',
      premiumRole: 'Role for premium',
      tier: 'Name of the premium tier',
      tierRole: 'Role',
      mode: 'What to announce',
      every: 'Time between two digests',
      colour: 'Colour',
      switches: 'Also announce',
      show: 'What votes show',
      lostStreaks: 'Announce ended streaks from this many days',
      title: 'Title',
      text: 'Text',
      thumbnail: 'Address of a small image',
      language: 'Language',
      itemName: 'Name',
      price: 'Price in credits',
      itemRole: 'Role that the buyer gets',
      itemFor: 'How long?',
      codes: 'Codes, one per line',
      newCodes: 'More codes, one per line',
      codesFile: 'File with codes',
      stock: 'How many can be sold',
      needsRole: 'Only for members with this role',
    }),
    hints: plain({
      botId: 'This bot is filled in. If another one is listed, replace it.',
      lookupKey: "In the service's dashboard, under Advanced setup. Stored encrypted, and never shown again.",
      secret: 'Leave it empty and a secret is made for you.',
      siteSecret: 'As the site shows it where you add the webhook.',
      siteKey: 'With it, the site is asked who has voted: for /canvote and lost votes.',
      slug: 'For the link to the page where members vote.',
      header: 'As the site describes its webhooks.',
      user: 'Its name in the body; a dot between names leads into an object: user.id',
      test: 'A field and its value, such as type=test. Empty if the site sends no tests.',
      settings: 'The content of an exported file. It replaces all settings except keys and secrets.',
      file: 'At most 256 KB.',
      premiumChannel: 'If it is empty, premium is announced with the votes.',
      ownerChannel: 'For problems and purchases that your team fulfils.',
      allListings: 'Empty for none.',
      off: 'Leave it empty to switch this off.',
      forgive: 'In any seven days, from 0 to 6.',
      timeZone: 'It decides when a day begins.',
      otherTimeZone: 'Such as Europe/Lisbon. It replaces the choice above.',
      days: 'None for every day.',
      itemFor: 'Leave it empty for a role that stays.',
      tier: 'As the service calls it.',
      colour: 'Such as #57F287. Empty for the usual colour.',
      title: 'Empty for the usual one. Possible: {placeholders}',
      text: 'Empty for the usual one. Possible: {placeholders}',
      language: 'Otherwise that of the server.',
      codes: 'Each is given to one buyer. They are never shown again.',
      newCodes: 'They are added to those that are stored.',
      stock: 'Leave it empty for no limit.',
    }),
    choices: plain({
      server: 'This server',
      bot: 'A bot',
      customSite: 'A site that is not in the list',
      day: 'Day',
      week: 'Week',
      month: 'Month',
      once: 'Once, at this number',
      every: 'At every multiple of it',
      all: 'Members keep all of them',
      highest: 'Only the highest',
      each: 'Every vote',
      digest: 'A digest at intervals',
      none: 'No votes',
      addMilestone: 'Add a milestone',
      addMultiplier: 'Add a multiplier',
      addTier: 'Add a premium tier',
      voteButton: 'A button that leads to the listing',
      avatar: 'Avatar and name of the voter',
      icon: 'Icon of the server',
      streak: 'Streak',
      largeCredits: 'Credits in large type',
      reviews: 'New reviews',
      milestones: 'Milestones',
      premium: 'Premium',
      party: 'Vote party',
    }),
    /** Above selects. Plain. */
    placeholders: plain({
      listing: 'Listing',
      serverSite: 'This server is listed on …',
      botSite: 'A bot is listed on …',
      channel: 'Choose the channel',
      milestones: 'Milestones: add or change one',
      multipliers: 'Multipliers: add or change one',
      tiers: 'Premium tiers: add or change one',
      items: 'Choose an item to change it',
    }),
    /** Names of settings in lists and confirmations. */
    names: {
      announceChannelId: 'Announcements',
      premiumChannelId: 'Premium',
      ownerChannelId: 'Reports',
      cooldownHours: 'Time between votes',
      timeZone: 'Time zone',
      shop: 'Items',
      webhooks: 'Addresses for events',
      link: 'Listing',
      lookupKey: 'API key',
      voteSecrets: 'Vote secrets',
      premiumSecrets: 'Premium secrets',
      siteKey: 'API token of the site',
      slug: 'Name at the site',
      codes: 'Codes of an item',
      rewards: {
        vote: 'Per vote',
        premium: 'For premium',
        whenDenied: 'Votes that the site declines',
        multipliers: 'Multipliers',
        streak: 'Streak',
        milestones: 'Milestones',
        milestoneRoles: 'Roles of milestones',
        voterRole: 'Role for voters',
        premiumRoles: 'Roles for premium',
        allListings: 'All listings in a day',
        firstVote: 'First vote of a day',
        weight: 'Weight of votes',
        party: 'Vote party',
      },
      announcements: {
        mode: 'Votes',
        every: 'Digest every',
        title: 'Title',
        text: 'Text',
        colour: 'Colour',
        thumbnail: 'Image',
        voteButton: 'Vote button',
        avatar: 'Voter',
        icon: 'Server icon',
        streak: 'Streak',
        largeCredits: 'Large credits',
        reviews: 'New reviews',
        milestones: 'Milestones',
        premium: 'Premium',
        party: 'Vote party',
        lostStreaks: 'Ended streaks',
        language: 'Language',
      },
    },
    values: {
      none: 'none',
      yes: 'yes',
      no: 'no',
      notSet: 'not set',
      off: 'Not used: {names}',
      streak: '{credits} for {days} in a row, {forgive} forgiven',
      party: '{credits} for {votes} in a {per}',
      milestone: 'at {votes}: {reward}',
      everyMilestone: 'every {votes}: {reward}',
      multiplier: '× {factor} ({when})',
      always: 'always',
      roleFor: '{role} for {duration}',
      tier: '{tier}: {role}',
      sameAsAnnouncements: 'same as announcements',
      anyTier: 'any tier',
      item: '{name} ({price})',
      lostStreaks: 'from {days}',
      stored: 'stored: {count}',
    },
    sources: {
      setup: 'set here',
      file: "from the operator's file",
      environment: "from the operator's settings",
      default: 'preset',
    },
    main: {
      title: 'Settings of this server',
      intro: 'Choose a subject. Every change can be undone.',
      done: '{done} of {total} done',
      notStored: 'Not in effect: {problem}',
    },
    /** `hint`, `byHand` and `held` are markup; the others are on a page in the browser. */
    connect: {
      hint: 'Press **Connect** and agree on the listing site: about a minute.',
      byHand: 'By hand instead',
      held: '**top.gg** has connected {name}. Link it here?',
      ...plain({
        title: 'Connected',
        done: 'Your listing is connected, and its test has arrived. Go back to Discord for the next step.',
        untested:
          'Your listing is connected, but its test has not arrived. Press Test Webhook on the listing site, and go back to Discord.',
        titleFailed: 'Not connected',
        unavailable: 'The listing site or Discord did not respond as expected. Please try again in a minute.',
        already: 'This server has a listing already. Change it with /setup in Discord.',
      }),
    },
    welcome: {
      title: 'Welcome',
      text: 'Choose the site on which your server or bot is listed. You copy an address and a secret, send a test, and choose a channel and the rewards: about two minutes.',
      needsOperator:
        'Keys cannot be stored yet: the operator of this bot needs to set SETTINGS_KEY. Votes cannot be received before that.',
      unassigned:
        'The operator of this bot has listings that belong to no server yet ({names}). Before other listings can be linked, the operator has to set the server of each: DISCORD_GUILD_ID, or "guildId" in the file.',
    },
    link: {
      title: 'Linked: {name}',
      copy: "Edit your listing in the service's dashboard: paste this address and this secret under *Vote Webhooks*, save, and press **Test Webhook**. For premium, make a secret later, under *Listing*.",
      siteOpen: 'On {site}, open the webhook settings of your listing.',
      siteEnter: 'Enter this address and this secret.',
      siteEnterAddress: 'Enter this address.',
      ...plain({
        openSite: 'Open {site}',
      }),
      siteTick: 'Tick the event {event}.',
      siteSecret: 'Copy the secret that is shown there, save, and press *Enter the secret*.',
      siteChoose: 'Choose {choice}.',
      siteTest: 'Save, and send a test. If the site has none, vote once.',
      once: 'The secret is shown only now. If you lose it, make a new one.',
      vote: 'Votes',
      premium: 'Premium',
      address: 'Address',
      secret: 'Secret',
      stored: 'The secret that you entered.',
      waiting: '⏳ **Waiting for your test…** This turns green by itself.',
      arrived: '✅ **The test has arrived** {time}. Votes are received.',
      voteArrived: '✅ **A vote has arrived** {time}. Votes are received.',
      notYet: 'No test has arrived yet. Check the address and the secret, save, and send the test again.',
      noPublicAddress:
        'Only paths are known: the operator of this bot needs to set PUBLIC_URL. Put the address of this bot in front of them.',
      refused: 'The service does not accept this API key. Copy it again from its dashboard.',
      wrongKind: 'This API key belongs to a listing of the other kind.',
      malformed: 'This is not an API key. Copy it again, without spaces.',
      unreachable: 'The service did not respond, so the key could not be checked. Nothing was saved; try again {time}.',
      tooMany: 'Ten API keys were checked in this server within a minute. Nothing was saved; try again {time}.',
      alreadyLinked: 'This listing is linked here already, as {name}. Change its key or its secrets there instead.',
      linkedByOperator:
        'The operator of this bot has set up this listing already, as {name}. You do not need to link it: choose it in the overview to change its rewards.',
      notCompared:
        'It could not be checked whether this is the same listing as {name}. Nothing was saved; try again later. If this stays, ask the operator of this bot to check the API key of {name}.',
      otherListing: 'This API key belongs to another listing. Nothing was saved; link that listing instead.',
    },
    /** How strong the scheme of a site is. Plain, at most 100 characters. */
    trust: plain({
      signed: 'Signed: whoever sees a request can only repeat it, and a repeat pays nothing.',
      token: 'Token: whoever sees one request can forge votes until you change the secret.',
    }),
    steps: {
      channelTitle: 'Where should votes be announced?',
      channel: 'Pick a channel that your members can read.',
      rewardsTitle: 'What is a vote worth?',
      rewards:
        '**Simple**: 10 credits per vote.\n**Lively**: 10 credits per vote, twice as many at weekends, and 50 for seven days in a row; one missed day is forgiven.\n**Own numbers**: you decide.',
      /** In the checklist. */
      earn: 'Something to earn: a shop or milestones',
      doneTitle: 'Ready',
      done: 'From now on, votes are rewarded and announced. Try it: vote, then use /credits.',
    },
    votePanel: {
      text: 'A message with which members vote, have themselves reminded and see their credits, with the top three of the month. It stays up to date. If there is one already, it moves to the new channel.',
      posted: 'The vote panel appears in {channel} in a moment.',
    },
    listing: {
      key: 'API key: {state}',
      keyStored: 'stored',
      keyMissing: 'missing, so commands that ask the service are off',
      operators: 'This listing is from the operator of this bot, so its key and secrets are changed there.',
      rotateTitle: 'New secret',
      rotated:
        'Enter it in the dashboard of the service. The one before stays valid until you press *Remove old secrets*.',
      unlinkTitle: 'Unlink {name}?',
      unlink: 'Its votes are no longer received, and its commands stop. Votes and credits stay, and it can be undone.',
    },
    cooldown: 'Members switch their reminders on and off with /remind. This long after a vote, they may vote again.',
    shop: {
      empty: 'Nothing is sold yet.',
      removeTitle: 'Remove {name}?',
      remove: 'It is no longer sold. What was bought stays.',
    },
    preview: 'This is how a vote looks:',
    saved: {
      title: 'Saved',
      undoneTitle: 'Undone',
      unchanged: 'Nothing was changed.',
      change: '**{name}**: {before} → {after}',
      ofListing: '{listing} · {name}',
      secretChanged: '**{name}**: changed',
      wouldHavePaid: 'In the last 30 days, these rules would have paid {after} (before: {before}).',
    },
    /** What a value of a setting has to be. Plain; `{names}` and `{known}` are lists. */
    rules: plain({
      wholeNumber: 'Enter a whole number from {min} to {max}.',
      factor: 'Enter a number greater than 0 and at most {max}.',
      length: 'Enter {min} to {max} characters.',
      timeZone: 'Enter the name of a time zone, such as Europe/Lisbon.',
      timeZoneMeant: '{name} is not a time zone. Did you mean {zone}?',
      colour: 'Enter a colour such as #57F287.',
      image: 'Enter the address of an image, which begins with https://',
      oneLine: 'This fits on one line only.',
      placeholders: 'Not possible here: {names}. Possible: {known}.',
      placeholdersMeant: 'Not possible here: {names}. Did you mean {meant}?',
      /** `{open}` and `{close}` are two braces each. */
      brace: 'A brace lacks its counterpart. Write {open} or {close} for a brace.',
      tooLong: 'This is too long: with its values it can have {length} characters, of which {max} fit.',
      empty: 'This must not be empty.',
      atMost: 'At most {max} of them are possible.',
      atLeastOne: 'Enter at least one.',
      /** Both are positions in a list. */
      sameCode: 'Code {position} is the same as code {first}. Enter each once.',
      sameNumber: 'There is a milestone with this number already.',
      milestoneReward: 'Enter credits, choose a role, or both.',
      factors: 'Together, multipliers for the same vote can be {max} at most.',
      itemKind: 'An item is a role, codes, or something that your team hands out: one of these.',
      apiKey: 'This is not an API key. Copy it again, without spaces.',
      secret: 'A secret has {min} to {max} characters, and is neither an address nor in quotation marks.',
      ascii: 'Use letters, digits and signs of the English keyboard alone: the secret is sent in a header.',
      discordId: 'Enter a Discord ID, which has digits alone.',
      slug: 'Enter the part of the address that names your listing, without slashes.',
      fieldPath: 'Enter names of fields with dots between them, such as user.id.',
      header: 'Enter the name of a header, such as Authorization.',
      everyone: 'Everybody has this role. Choose another one.',
      unreadable: 'The stored value cannot be read. Enter it again.',
      exportedFile: 'Choose a file that was exported here.',
      unknownSetting: 'There is no such setting. Remove it from the file.',
      otherServer: 'This server has no listing called {name}. Link it first, or remove it from the file.',
    }),
    problems: {
      title: 'Not saved yet',
      /** Of a field of a form. */
      value: 'This value is not possible here.',
      kept: 'What you entered is kept for a while: press *Edit again*.',
      file: 'The file could not be read.',
      fileHint: 'Choose a text file of at most 256 KB, or paste what it contains.',
      gone: 'What you entered is no longer stored, because the bot was restarted or too much time has passed. Please enter it again.',
      conflict: 'Somebody changed the same settings meanwhile, so nothing was saved:',
      changedSince: 'These settings were changed again later, so this cannot be undone alone:',
      alreadyUndone: 'This was undone already.',
      notFound: 'This change no longer exists.',
      unknownListing: 'This listing is no longer linked here.',
      noKey: 'Keys and secrets of this server cannot be read or saved at the moment.',
      channel: 'The bot lacks permissions in {channel}: {permissions}.',
      channelHint: 'Open *Edit Channel → Permissions*, add the bot, and allow them.',
      unknownChannel: 'This is not a channel of this server.',
      unknownChannelHint: 'Choose a channel of this server.',
      channelsUnknown: 'Discord did not say in time which channels this server has.',
      unknownRole: 'This server has no such role.',
      unknownRoleHint: 'Choose a role of this server.',
      rolesUnknown: 'Discord did not say in time which roles this server has.',
      rolesUnknownHint: 'Try again in a minute.',
      roleAboveMember: '{role} is above your highest role.',
      roleAboveMemberHint: 'Choose a role that is not above yours, or ask the owner of this server.',
      managedRole: '{role} belongs to an integration or to everybody, so nobody can be given it.',
      managedRoleHint: 'Choose a role that you made yourself.',
      moderatingRole: '{role} has permissions of a moderator, so votes and purchases cannot give it.',
      moderatingRoleHint: 'Choose a role without permissions such as Administrator, Manage Server or Manage Roles.',
      roleAbove: '{role} is above the role of the bot.',
      roleAboveHint: "Open *Server Settings → Roles* and drag the bot's role above {role}.",
      manageRoles: 'The bot lacks the permission Manage Roles.',
      manageRolesHint: "Open *Server Settings → Roles*, select the bot's role, and allow it.",
    },
    history: {
      title: 'History',
      none: 'Nothing was changed here yet.',
      line: '{time} · {author}',
      undone: 'undone',
      undoes: 'takes a change back',
    },
    files: plain({
      exported: 'The settings of this server, without keys and secrets.',
    }),
  },

  failure: {
    title: 'That did not work',
    /** After other sentences. */
    retryAt: 'Please try again {time}.',
    needsOperator: 'Trying again will not help; the operators of this bot need to fix it.',
    /** Lookups without a usable response. */
    lookup: {
      lookup_wrong_key_type: 'The bot is not configured for this listing.',
      lookup_bad_parameter: 'The listing service rejected this request.',
      lookup_bad_request: 'The listing service rejected this request.',
      lookup_key_refused: 'The listing service denied access to the bot.',
      lookup_not_found: 'The listing service found nothing for this request.',
      lookup_rate_limited: 'The listing service limits the requests of the bot.',
      lookup_over_budget: 'There are too many requests at the moment.',
      lookup_uncounted: 'The bot has a temporary problem and cannot contact the listing service.',
      lookup_service_error: 'The listing service has a temporary problem.',
      lookup_unreachable: 'The listing service cannot be reached.',
      lookup_timeout: 'The listing service took too long to respond.',
      lookup_not_json: 'The listing service sent an unreadable response.',
      lookup_wrong_shape: 'The listing service sent a response that the bot does not understand.',
      lookup_unexpected_status: 'The listing service sent an unexpected response.',
    },
    /** `{incident}` is the id of an unexpected error in the log. */
    incident: 'Something went wrong. If it happens again, give the operators of this bot this code: **{incident}**.',
    tooLate: 'This took too long.',
    /** A bot was chosen as the member. */
    isBot: '{user} is a bot. Bots do not vote and have no credits.',
    /** The database cannot be written. */
    notStored: 'This cannot be saved at the moment, so nothing was changed.',
    noListing: 'No listing is linked to this server yet. Someone with Manage Server can link one with {setup}.',
    unknownCommand: 'This command is no longer available. Discord may show it for a while.',
    unknownButton: 'This button has expired. Run the command again.',
    managersOnly: 'Only members with the permission Manage Server can do this.',
  },
} as const;
