import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { coverageView } from '@kube-rules/analyzer/view'
import {
  assumeVersion,
  type Cluster,
  type ClusterInputTexts,
  type ClusterOptionValues,
  compileCluster,
  mergeClusterDiagnostics,
  noteAssumedVersion,
  readCluster,
} from '@kube-rules/application/cluster'
import {
  compareFamilies,
  findUnservedServices,
  printTrafficReport,
  toComparedStates,
} from '@kube-rules/application/compare'
import { readBackends, readCurrentBackend } from '@kube-rules/application/dump'
import {
  createNodeFromCluster,
  createNodeFromDump,
  createPacketsToDestination,
  explainPackets,
  parseDestination,
  printDiagnosedPackets,
} from '@kube-rules/application/explain'
import {
  formatDiagnosticLines,
  formatFailureLines,
  formatMessageLine,
  formatVerificationLines,
} from '@kube-rules/application/messages'
import { chooseFamilies, formatOmittedFamilyWarning, printResultText } from '@kube-rules/application/print'
import {
  assertVerified,
  chooseVerifiedFamilies,
  describeReference,
  printVerification,
  verifyNode,
} from '@kube-rules/application/verify'
import type { CompileResult } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { type Outcome, run } from './support/run.js'

// A web page passes texts instead of files. It must get exactly the output of the command.

type Output = Pick<Outcome, 'stdout' | 'stderr'>
type Mode = 'iptables' | 'ipvs' | 'nftables'

interface Values extends ClusterOptionValues {
  readonly mode?: Mode | undefined
}

const HINT = ' (-o json shows all)'

function output(command: string, say: () => { readonly text: string; readonly messages: readonly string[] }): Output {
  const lines = (messages: readonly string[]) => messages.map((line) => `${formatMessageLine(line)}\n`).join('')
  try {
    const { text, messages } = say()
    return { stdout: text, stderr: lines(messages) }
  } catch (error) {
    return { stdout: '', stderr: lines(formatFailureLines(error, command)) }
  }
}

function plansOf({ families }: CompileResult) {
  return families.map(({ plan }) => plan)
}

const page = {
  print: (texts: ClusterInputTexts, values: Values): Output =>
    output('print', () => {
      const cluster = readCluster(texts, values)
      const families = chooseFamilies(undefined, undefined, cluster.services)
      const result = compileCluster(cluster, values, families)
      const diagnostics = formatDiagnosticLines(mergeClusterDiagnostics(cluster, result.diagnostics), HINT)
      const messages = [...diagnostics, ...formatOmittedFamilyWarning(families, cluster.services), ...cluster.notes]
      return { text: printResultText(result, {}), messages }
    }),
  explain: (texts: ClusterInputTexts, values: Values, destination: string, from: string | undefined): Output =>
    output('explain', () => {
      const expected = parseDestination(destination, values.namespace)
      const node = createNodeFromCluster(readCluster(texts, values), values)
      const text = printDiagnosedPackets(explainPackets(createPacketsToDestination(expected, node, from), node))
      const plans = node.families.flatMap(({ plan }) => plan ?? [])
      return {
        text,
        messages: [...formatVerificationLines(node.diagnostics, plans, HINT), ...node.caveats, ...node.notes],
      }
    }),
  explainDump: (dump: string, destination: string, from: string | undefined): Output =>
    output('explain', () => {
      const node = createNodeFromDump(readCurrentBackend([{ name: 'node.dump', text: dump }]), undefined)
      const packets = createPacketsToDestination(parseDestination(destination, undefined), node, from)
      return { text: printDiagnosedPackets(explainPackets(packets, node)), messages: node.notes }
    }),
  verify: (texts: ClusterInputTexts, values: Values, dump: string): Output =>
    output('verify', () => {
      const cluster = readCluster(texts, values)
      const backEnds = readBackends([{ name: 'node.dump', text: dump }])
      const [{ dump: first, notes }] = backEnds
      const assumed = assumeVersion(cluster, values, first)
      const own = { ...values, kubernetesVersion: assumed?.ofDump ?? values.kubernetesVersion }
      const families = chooseVerifiedFamilies(undefined, cluster, first)
      const result = compileCluster(cluster, own, families, { dumps: [first] })
      const judged = verifyNode(result, backEnds)
      assertVerified(judged.report, first)
      const diagnostics = formatVerificationLines(
        mergeClusterDiagnostics(cluster, result.diagnostics),
        plansOf(result),
        HINT,
      )
      const coverage = coverageView(judged.report).map(({ label }) => label)
      const version = noteAssumedVersion(assumed, result, judged.report).map((text) => `note: ${text}`)
      return {
        text: printVerification(judged, describeReference(result, cluster)),
        messages: [...diagnostics, ...coverage, ...notes, ...version, ...cluster.notes],
      }
    }),
  compare: (texts: ClusterInputTexts, values: Values, names: readonly [Mode, Mode]): Output =>
    output('compare', () => {
      const cluster: Cluster = readCluster(texts, values)
      const [a, b] = names.map((mode) => compileCluster(cluster, { ...values, mode }, IP_FAMILIES))
      if (a === undefined || b === undefined) throw new Error('two modes')
      const compared = compareFamilies(toComparedStates(a), toComparedStates(b))
      const diagnostics = mergeClusterDiagnostics(cluster, [...a.diagnostics, ...b.diagnostics])
      const unserved = findUnservedServices([{ cluster, result: a, diagnostics }])
      return {
        text: printTrafficReport(compared, names, { unserved }, undefined),
        messages: [...formatVerificationLines(diagnostics, [...plansOf(a), ...plansOf(b)], HINT), ...cluster.notes],
      }
    }),
}

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))
const folders = readdirSync(FIXTURES).filter((name) => existsSync(`${FIXTURES}${name}/cluster.yaml`))

function textsOf(files: Readonly<Record<string, string>>): ClusterInputTexts {
  const source = (name: string) => (files[name] === undefined ? undefined : { name, text: files[name] })
  const objects = source('cluster.yaml')
  return { objects: objects === undefined ? [] : [objects], host: source('host.yaml'), config: source('config.yaml') }
}

function argsOf(files: Readonly<Record<string, string>>, values: Values): readonly string[] {
  const options = Object.entries(values).flatMap(([key, value]) => {
    const name = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (value === undefined || value === false) return []
    return value === true ? [name] : [name, String(value)]
  })
  const host = files['host.yaml'] === undefined ? [] : ['--host', 'host.yaml']
  const config = files['config.yaml'] === undefined ? [] : ['--config', 'config.yaml']
  return ['-f', 'cluster.yaml', ...host, ...config, ...options]
}

async function expectSame(
  output: Output,
  args: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { stdout, stderr } = await run(args, { files })
  expect(output).toEqual({ stdout, stderr })
}

const MODES: readonly Mode[] = ['iptables', 'ipvs', 'nftables']

describe.each(folders)('the page with fixtures/%s', (folder) => {
  const names = ['cluster.yaml', 'host.yaml'].filter((name) => existsSync(`${FIXTURES}${folder}/${name}`))
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(`${FIXTURES}${folder}/${name}`, 'utf8')]))
  const texts = textsOf(files)

  it.each(MODES)('prints the same rules of %s mode as the command', async (mode) => {
    await expectSame(page.print(texts, { mode }), ['print', ...argsOf(files, { mode })], files)
  })

  it('explains packets as the command does', async () => {
    for (const [destination, from] of [
      ['10.96.0.10:53/udp', 'pod'],
      ['node:30080', 'outside'],
      ['10.0.0.1:443', undefined],
      ['nonsense', undefined],
    ] as const) {
      const args = ['explain', ...argsOf(files, {}), destination, ...(from === undefined ? [] : ['--from', from])]
      await expectSame(page.explain(texts, {}, destination, from), args, files)
    }
  })

  it('verifies a node as the command does', async () => {
    for (const [held, mode] of [
      ['iptables', 'iptables'],
      ['nftables', 'nftables'],
      ['nftables', 'iptables'],
    ] as const) {
      const dump = (await run(['print', ...argsOf(files, { mode: held }), '--format', 'save'], { files })).stdout
      const text = dump.replace(/^-A KUBE-SEP-.*\n/m, '').replace(/^\t\t.*elements.*\n/m, '')
      const all = { ...files, 'node.dump': text }
      const args = ['verify', ...argsOf(files, { mode }), '--dump', 'node.dump']
      await expectSame(page.verify(texts, { mode }, text), args, all)
      const destination = '10.96.0.10:53/udp'
      const question = ['explain', '--dump', 'node.dump', destination, '--from', 'pod']
      await expectSame(page.explainDump(text, destination, 'pod'), question, all)
    }
  })

  it('compares modes as the command does', async () => {
    const args = ['compare', ...argsOf(files, {}), '--modes', 'iptables,nftables']
    await expectSame(page.compare(texts, {}, ['iptables', 'nftables']), args, files)
  })
})

const SERVICE = (name: string, more = '') =>
  `apiVersion: v1\nkind: Service\nmetadata: { name: ${name}${more} }\nspec: { ports: [{ port: 80 }] }\n`

describe('the page with typed input', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, Values]>([
    ['nothing', { 'cluster.yaml': '' }, {}],
    ['invalid YAML', { 'cluster.yaml': 'a: [' }, {}],
    ['invalid JSON', { 'cluster.yaml': '{"kind": "Service", }' }, {}],
    ['a word', { 'cluster.yaml': 'Service' }, {}],
    ['an object of another kind', { 'cluster.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n' }, {}],
    ['Services without addresses', { 'cluster.yaml': `${SERVICE('a')}---\n${SERVICE('b')}` }, {}],
    [
      'Services that get assumed addresses and a namespace',
      { 'cluster.yaml': `${SERVICE('a')}---\n${SERVICE('b')}` },
      { assume: true, namespace: 'shop' },
    ],
    ['a name with markup', { 'cluster.yaml': SERVICE('"<script>alert(1)</script>\\u001b[31m"', ', namespace: a') }, {}],
    [
      'an invalid port in the second document',
      { 'cluster.yaml': `${SERVICE('a')}---\n${SERVICE('b').replace('80', '99999')}` },
      {},
    ],
    ['a missing Node', { 'cluster.yaml': SERVICE('a') }, { node: 'node-9' }],
    [
      'a Node with its version',
      {
        'cluster.yaml': `${SERVICE('a')}---\napiVersion: v1\nkind: Node\nmetadata: { name: n }\nstatus: { nodeInfo: { kubeletVersion: v1.31.4 } }\n`,
      },
      {},
    ],
    [
      'a configuration that kube-proxy rejects',
      { 'cluster.yaml': SERVICE('a'), 'config.yaml': 'kind: KubeProxyConfiguration\nclusterCIDR: nonsense\n' },
      {},
    ],
    ['an invalid configuration', { 'cluster.yaml': SERVICE('a'), 'config.yaml': SERVICE('b') }, {}],
    ['an invalid host', { 'cluster.yaml': SERVICE('a'), 'host.yaml': 'interfaces: 1\n' }, {}],
    [
      'a host in the second of two documents',
      { 'cluster.yaml': SERVICE('a'), 'host.yaml': 'interfaces: []\n---\ninterfaces: []\n' },
      {},
    ],
    ['an endless line', { 'cluster.yaml': `${SERVICE('a')}# ${'x'.repeat(100_000)}` }, {}],
  ])('returns the same result as the command: %s', async (_, files, values) => {
    await expectSame(page.print(textsOf(files), values), ['print', ...argsOf(files, values)], files)
  })

  it.each([
    ['', ''],
    ['nonsense\n', ''],
    ['-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-A\nnonsense\n', '10.96.0.10:80'],
    ['<script>\n', '10.96.0.10:80'],
  ])('parses a dump as the command does: %j', async (dump, destination) => {
    const files = { 'node.dump': dump }
    const args = ['explain', '--dump', 'node.dump', destination || '10.96.0.1:443']
    await expectSame(page.explainDump(dump, destination || '10.96.0.1:443', undefined), args, files)
  })
})
