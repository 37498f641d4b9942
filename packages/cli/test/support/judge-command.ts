import type { PageCommand } from './page-commands.js'

/** The only reasons for not running a printed command. */
export const REASONS = {
  cluster: 'needs a cluster',
  root: 'needs root on a node',
  network: 'needs the network',
  minutes: 'takes minutes, or does not end',
  shell: 'changes the shell or the folders of the reader',
  usage: 'describes the usage',
  step: 'is a step of a generated diagnosis',
  text: 'is no command: an output, or a list of files',
} as const

export type Reason = keyof typeof REASONS

/** Where a command is run, or why it is not. */
export type Judgement = { readonly runBy: string } | { readonly reason: Reason }

interface Rule {
  readonly page: RegExp
  readonly text: RegExp
  readonly judgement: Judgement
}

const HERE = 'packages/cli/test/printed-commands.test.ts'
const CASES = /^docs\/troubleshooting\/cases\//
const TUTORIALS = /^docs\/tutorials\//
const ANY = /^/

const runBy = (file: string): Judgement => ({ runBy: file })
const notRun = (reason: Reason): Judgement => ({ reason })

/** Rules for the commands of a shell block; the first one that matches applies. */
const FENCED: readonly Rule[] = [
  { page: CASES, text: /^kube-rules /, judgement: runBy('packages/cli/test/troubleshooting.test.ts') },
  { page: CASES, text: ANY, judgement: notRun('step') },
  {
    page: TUTORIALS,
    text: /^(?:ip|nft) |proxy\.mjs$/,
    judgement: runBy('packages/compiler/test/kernel/tutorial.test.ts'),
  },
  { page: TUTORIALS, text: ANY, judgement: runBy('packages/cli/test/tutorials.test.ts') },
  { page: /comment-on-pull-requests/, text: ANY, judgement: runBy('packages/cli/test/ci-recipes.test.ts') },
  { page: /fixtures\/matrix/, text: ANY, judgement: runBy('scripts/test/matrix-page.test.mjs') },
]

/** Rules for all other commands. */
const ALL: readonly Rule[] = [
  { page: /contributing\/architecture|reference\/(?:diagnostics|problems)\.md/, text: ANY, judgement: notRun('text') },
  { page: ANY, text: /^#!/, judgement: notRun('text') },
  { page: ANY, text: /^kube-rules .*\[options\]\s*$|^kube-rules completion \w+\|/, judgement: notRun('usage') },
  { page: ANY, text: /^kube-rules .*(?:--(?:live|cluster|ssh|context)\b|node-1\.json)/, judgement: notRun('cluster') },
  { page: ANY, text: /^kube-rules /, judgement: runBy(HERE) },
  { page: /examples\/many-nodes/, text: /^node /, judgement: runBy('examples/many-nodes/rules-of-nodes.test.mjs') },
  { page: ANY, text: /^(?:kubectl|gh) /, judgement: notRun('cluster') },
  { page: ANY, text: /^sed s,IMAGE,/, judgement: notRun('cluster') },
  { page: ANY, text: /^grep -E '\^E/, judgement: notRun('cluster') },
  {
    page: ANY,
    text: /^(?:sudo|ssh|ip6?tables-\w+|ipset|nft|ipvsadm|conntrack|systemctl) ?/,
    judgement: notRun('root'),
  },
  { page: ANY, text: /^(?:git|docker|npm install)\b/, judgement: notRun('network') },
  {
    page: ANY,
    text: /^(?:KUBE_RULES_SOAK=\S+ |KUBE_RULES_SOAK='[^']*' )?(?:npx -y pnpm@|npm (?:run|test))/,
    judgement: notRun('minutes'),
  },
  { page: ANY, text: /^(?:cd|mkdir|alias|cp|ln|chmod|source|npm init|npm pkg) ?/, judgement: notRun('shell') },
]

/** Returns where a command is run, or why it is not; undefined if no rule matches. */
export function judge({ page, text, isFenced }: PageCommand): Judgement | undefined {
  const rules = isFenced ? [...FENCED, ...ALL] : ALL
  return rules.find((rule) => rule.page.test(page) && rule.text.test(text))?.judgement
}
