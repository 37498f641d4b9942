import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { splitWords } from './support/case.js'
import { judge, REASONS, type Reason } from './support/judge-command.js'
import { clusterJson, configuration, service, slice } from './support/objects.js'
import { commandsOf, PAGES, type PageCommand, ROOT, readPage, splitCommands } from './support/page-commands.js'
import { run } from './support/run.js'

const COMMANDS = PAGES.flatMap(commandsOf)
const runners = COMMANDS.flatMap((command) => {
  const judgement = judge(command)
  return judgement !== undefined && 'runBy' in judgement ? [{ command, runBy: judgement.runBy }] : []
})
const unexecuted = COMMANDS.flatMap((command) => {
  const judgement = judge(command)
  return judgement !== undefined && 'reason' in judgement ? [{ command, reason: judgement.reason }] : []
})

function countBy<K extends string>(keys: readonly K[]): Readonly<Partial<Record<K, number>>> {
  const counts: Partial<Record<K, number>> = {}
  for (const key of [...keys].sort()) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

/** Returns the arguments of `kube-rules`, without output files. */
const argumentsOf = ({ text }: PageCommand) => text.replace(/^kube-rules /, '').replace(/ *>.*/, '')
const byArguments = (commands: readonly PageCommand[]) => [
  ...new Map(commands.map((command) => [argumentsOf(command), command])).values(),
]

const RUN_HERE = byArguments(
  runners.filter(({ runBy }) => runBy.endsWith('/printed-commands.test.ts')).map(({ command }) => command),
)
const NEEDS_CLUSTER = byArguments(
  unexecuted
    .filter(({ command, reason }) => reason === 'cluster' && command.text.startsWith('kube-rules '))
    .map(({ command }) => command),
)

const settings = configuration({ clusterCIDR: '10.244.0.0/16' })
const web = clusterJson(
  settings,
  service('web', ['10.96.0.10'], { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] }),
  slice('web', '10.244.1.5'),
)
const kubeProxy = JSON.stringify(settings)
const OBJECTS = ['cluster.json', 'cluster.yaml', 'web.yaml', 'before.yaml', 'after.yaml', 'old.yaml', 'new.yaml']
const FOLDERS = ['manifests', 'cluster', 'old', 'new']
const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...OBJECTS, 'yesterday.json', 'today.json'].map((path) => [path, web])),
  ...Object.fromEntries(FOLDERS.map((folder) => [`${folder}/web.yaml`, web])),
  'kube-proxy.json': kubeProxy,
  'kube-proxy.yaml': kubeProxy,
}

const dumps: Record<string, string> = {}
beforeAll(async () => {
  for (const mode of ['iptables', 'ipvs']) {
    const args = ['print', '-f', 'cluster.json', '--config', 'kube-proxy.json', '--mode', mode, '--format', 'save']
    dumps[mode] = (await run(args, { files })).stdout
  }
})

function runPrinted(command: PageCommand) {
  const args = argumentsOf(command)
  const dump = dumps[args.includes('--mode ipvs') ? 'ipvs' : 'iptables'] ?? ''
  const dumpFiles = Object.fromEntries(
    ['node.dump', 'rules.txt', 'sets.txt', 'dumps/node-1.dump'].map((path) => [
      path,
      path === 'sets.txt' ? '# no sets\n' : dump,
    ]),
  )
  const words = splitWords(args).map((word) => word.replace(/\/$/, ''))
  const stdin = command.stdin ?? (words.includes('--dump') ? dump : web)
  return run(words, { files: { ...files, ...dumpFiles }, stdin })
}

describe('splitCommands', () => {
  it.each([
    ['a pipe, a list and a comment', "a | b 'c|d' && e # f\n", [{ text: 'a' }, { text: "b 'c|d'" }, { text: 'e' }]],
    ['a continued line', 'a \\\n  b\n', [{ text: 'a    b' }]],
    ['a here document', "a <<'END'\nb | c\nEND\nd\n", [{ text: 'a', stdin: 'b | c\n' }, { text: 'd' }]],
    ['a substitution', 'a "$(b | c)" <(d; e)\n', [{ text: 'a "$(b | c)" <(d; e)' }]],
    [
      'no usage',
      'kube-rules a (-f FILE | --cluster) [options]\n',
      [{ text: 'kube-rules a (-f FILE | --cluster) [options]\n' }],
    ],
    ['no script of a file', '#!/bin/sh\na\nb\n', [{ text: '#!/bin/sh\na\nb\n' }]],
  ])('splits %s', (_title, script, expected) => {
    expect(splitCommands(script)).toEqual(expected)
  })
})

describe('the commands that pages print', () => {
  it('are each run by a test, or have a reason of a closed list', () => {
    const unjudged = COMMANDS.filter((command) => judge(command) === undefined)
    expect(unjudged.map(({ page, text }) => `${page}: ${text}`)).toEqual([])
    const byReason = countBy(unexecuted.map(({ reason }) => REASONS[reason]))
    const byTest = countBy(runners.map(({ runBy }) => runBy))
    console.info('commands run:', runners.length, byTest, 'not run:', unexecuted.length, byReason)
    // Generated lines and lists of files are not counted. The others are, so a new command that is not run is noticed.
    const isWritten = (reason: Reason) => !['step', 'text', 'usage'].includes(reason)
    const counted = countBy<Reason>(unexecuted.map(({ reason }) => reason).filter(isWritten))
    expect(counted).toEqual({ cluster: 53, minutes: 21, network: 23, root: 16, shell: 29 })
  })

  it('are run by existing tests', () => {
    const tests = [...new Set(runners.map(({ runBy }) => runBy))]
    expect(tests.filter((test) => !existsSync(new URL(test, ROOT)))).toEqual([])
  })

  it.each(RUN_HERE.map((command) => [argumentsOf(command), command] as const))(
    'run: kube-rules %s',
    async (_title, command) => {
      const { exitCode, stdout, stderr } = await runPrinted(command)
      expect({ exitCode, stderr }).not.toMatchObject({ exitCode: 2 })
      if (!/^diff|--script/.test(argumentsOf(command))) expect(stdout).not.toBe('')
    },
  )

  it.each(NEEDS_CLUSTER.map((command) => [argumentsOf(command), command] as const))(
    'have a valid usage, and need a cluster: kube-rules %s',
    async (_title, command) => {
      const { stderr } = await runPrinted(command)
      expect(stderr).not.toMatch(/--help' for help/)
      expect(stderr).toMatch(/kubectl|ssh|cluster|node-1\.json/)
    },
  )

  it('name only scripts that exist', () => {
    const { scripts } = JSON.parse(readPage('package.json'))
    const BUILT_IN = ['install', 'changeset', 'exec', 'add', 'audit', 'dedupe', 'vitest']
    const named = PAGES.flatMap((page) =>
      Array.from(
        readPage(page).matchAll(/(?:^ {4,}|`)(?:npx -y )?pnpm(?:@[\d.]+)? ([a-z][\w:-]*)/gm),
        ([, name = '']) => ({ page, name }),
      ),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(({ name }) => scripts[name] === undefined && !BUILT_IN.includes(name))).toEqual([])
  })
})
