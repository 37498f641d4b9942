import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { splitWords } from './support/case.js'
import { clusterJson, configuration, service, slice } from './support/objects.js'
import { run } from './support/run.js'

const ROOT = new URL('../../../', import.meta.url)

/** The cases and their commands are run in troubleshooting.test.ts. */
const TESTED_ELSEWHERE = /^docs\/(?:troubleshooting\/cases|explanation\/history\.md)/

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...list('docs').filter((page) => !page.startsWith('docs/reference/api/') && !TESTED_ELSEWHERE.test(page)),
  ...list('packages').filter((page) => /^packages\/[^/]*\/README\.md$/.test(page)),
  ...list('examples').filter((page) => !page.includes('node_modules')),
]

/** Commands of other tools are not run, for these reasons. */
const NOT_RUN: Readonly<Record<string, string>> = {
  kubectl: 'needs a cluster',
  ssh: 'needs a node',
  docker: 'needs a registry',
  gh: 'needs a pull request',
  git: 'needs the network',
  npm: 'needs the registry of npm, or takes minutes',
  npx: 'needs the registry of npm, or takes minutes',
  KUBE_RULES: 'runs scripts of examples/ci, which `pnpm packages` tests',
  KUBE_RULES_SOAK: 'needs a virtual machine',
  'iptables-restore': 'is part of an output, or needs root',
  'iptables-save': 'needs root',
}

function list(folder: string): readonly string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
}

/** Returns the lines in `sh` blocks and indented blocks. The blocks of tutorials are run in tutorials.test.ts. */
function shellLines(page: string): readonly string[] {
  const text = readFileSync(new URL(page, ROOT), 'utf8')
  const indented = text.replace(/^```.*?^```$/gms, '').match(/^ {4,}\S.*$/gm) ?? []
  const blocks = page.startsWith('docs/tutorials/') ? [] : Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms))
  return [...indented, ...blocks.flatMap(([, block = '']) => block.split('\n'))].map((line) => line.trim())
}

/** Returns the arguments of `kube-rules` in a line, without pipes and output files. */
function commandsIn(line: string): readonly string[] {
  return Array.from(line.matchAll(/(?:^|[| (])kube-rules ([^|>)#<]*)/g), ([, args = '']) => args.trim())
}

/** Lines that describe the usage have names in capitals or optional parts. */
const isExample = (command: string) => !/[[{;]|\b[A-Z]{3,}\b/.test(command)

const COMMANDS = [...new Set(PAGES.flatMap(shellLines).flatMap(commandsIn).filter(isExample))].sort()
/** `node-1.json` is the file that `collect --live` writes. */
const needsCluster = (command: string) => /--(?:live|cluster|ssh|context)\b|node-1\.json/.test(command)

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

function runPrinted(command: string) {
  const dump = dumps[command.includes('--mode ipvs') ? 'ipvs' : 'iptables'] ?? ''
  const dumpFiles = Object.fromEntries(
    ['node.dump', 'rules.txt', 'sets.txt', 'dumps/node-1.dump'].map((path) => [
      path,
      path === 'sets.txt' ? '# no sets\n' : dump,
    ]),
  )
  const words = splitWords(command).map((word) => word.replace(/\/$/, ''))
  return run(words, { files: { ...files, ...dumpFiles }, stdin: words.includes('--dump') ? dump : web })
}

describe('the commands that pages print', () => {
  it('are found', () => {
    expect(COMMANDS.length).toBeGreaterThan(40)
  })

  it.each(COMMANDS.filter((command) => !needsCluster(command)))('run: kube-rules %s', async (command) => {
    const { exitCode, stdout, stderr } = await runPrinted(command)
    expect({ exitCode, stderr }).not.toMatchObject({ exitCode: 2 })
    if (!/^diff|--script/.test(command)) expect(stdout).not.toBe('')
  })

  it.each(COMMANDS.filter(needsCluster))('have a valid usage, and need a cluster: kube-rules %s', async (command) => {
    const { stderr } = await runPrinted(command)
    expect(stderr).not.toMatch(/--help' for help/)
    expect(stderr).toMatch(/kubectl|ssh|cluster|node-1\.json/)
  })

  it('of other tools have a reason for not being run', () => {
    const tools = PAGES.filter((page) => /README|how-to/.test(page))
      .flatMap(shellLines)
      .flatMap((line) => /^(kubectl|ssh|docker|gh|git|npm|npx|helm|iptables-\w+|KUBE_\w+)\b/.exec(line)?.[1] ?? [])
    expect(tools.filter((tool) => NOT_RUN[tool] === undefined)).toEqual([])
  })
})
