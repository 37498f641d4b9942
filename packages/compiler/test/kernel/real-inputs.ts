import { readdirSync, readFileSync } from 'node:fs'
import type { IpFamily, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { parseIptables } from '../../../analyzer/src/dataplane/iptables/parse/parse.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { IptablesState, Table } from '../../src/dataplane/iptables/ast.js'
import { jumpTargetsOf } from '../../src/dataplane/iptables/chains.js'
import { getBlockRules } from '../../src/dataplane/iptables/lazy-block.js'
import { printRule } from '../../src/dataplane/iptables/print/print.js'
import { isVersionAtLeast, versionsOf } from '../../src/model/configuration/versions.js'
import { type Case, cases, optionsOfMode, understoodCluster } from '../support/clusters.js'
import { compileCase, iptablesStates } from '../support/compiled.js'

// Kernel input: golden files, generated clusters, and a few custom ones.

const FIXTURES = new URL('../../../../fixtures/', import.meta.url)

export interface Golden {
  readonly name: string
  readonly family: IpFamily
  readonly restore: string
  /** The output of iptables-nft-save after loading it. */
  readonly save: string
}

/** Returns every `fixtures/CASE/iptables.FAMILY.save`, also of userspace mode, with its `restore` file. */
export function iptablesGoldens(): readonly Golden[] {
  return fixtureFiles(/^(?:iptables|userspace)\.ipv[46]\.save$/).map((name) => ({
    name: name.replace('.save', ''),
    family: name.includes('ipv6') ? 'IPv6' : 'IPv4',
    restore: readFixture(name.replace('.save', '.restore')),
    save: readFixture(name),
  }))
}

/** Returns the sets of every `fixtures/CASE/ipvs.FAMILY.restore`. */
export function ipsetGoldens(): readonly { readonly name: string; readonly restore: string }[] {
  return fixtureFiles(/^ipvs\.ipv[46]\.restore$/).map((name) => ({
    name,
    restore: /^# ipset\n(.*?)^# ipvs$/ms.exec(readFixture(name))?.[1] ?? '',
  }))
}

/** Returns every `fixtures/CASE/nftables.FAMILY.restore`. */
export function nftablesGoldens(): readonly { readonly name: string; readonly restore: string }[] {
  return fixtureFiles(/^nftables\.ipv[46]\.restore$/).map((name) => ({ name, restore: readFixture(name) }))
}

function fixtureFiles(pattern: RegExp): readonly string[] {
  const folders = readdirSync(FIXTURES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.flatMap(({ name: folder }) =>
    readdirSync(new URL(`${folder}/`, FIXTURES))
      .filter((file) => pattern.test(file))
      .map((file) => `${folder}/${file}`),
  )
}

function readFixture(name: string): string {
  return readFileSync(new URL(name, FIXTURES), 'utf8')
}

/** Generates clusters in the versions in turn. They are always the same. */
function samples(mode: 'iptables' | 'ipvs' | 'userspace', count: number, versions: readonly string[]): readonly Case[] {
  return fc
    .sample(cases, { numRuns: count, seed: 20 })
    .map(({ cluster, options }, index) => {
      const kubernetesVersion = versions[index % versions.length] as string
      return loadable({ cluster, options: { ...optionsOfMode(options, mode), kubernetesVersion } })
    })
    .map(({ cluster, options }) => ({ cluster: understoodCluster(cluster, options), options }))
}

/** Returns the versions whose rules need no chains of a kubelet, and that compile both families. */
function versionsWithoutKubelet(mode: string): readonly string[] {
  return versionsOf(mode).filter((version) => isVersionAtLeast(version, '1.25'))
}

/** Prints the chains to which rules jump and that the kubelet creates: KUBE-MARK-DROP up to 1.24. */
export function kubeletText(state: IptablesState): string {
  return state.tables
    .map((table) => {
      const chains = undeclaredChains(table).map((chain) => `:${chain} - [0:0]\n`)
      return chains.length === 0 ? '' : `*${table.name}\n${chains.join('')}COMMIT\n`
    })
    .join('')
}

/** Removes the chains of the kubelet from a dump. */
export function withoutKubelet(dump: string, state: IptablesState): string {
  const chains = new Set(state.tables.flatMap(undeclaredChains))
  const lines = dump.split('\n').filter((line) => !chains.has(/^:(\S+) /.exec(line)?.[1] ?? ''))
  return lines.join('\n')
}

function undeclaredChains({ jumps, blocks }: Table): readonly string[] {
  const declared = new Set([...blocks.flatMap(({ chains }) => chains), ...jumpTargetsOf(jumps)])
  const reached = jumpTargetsOf(blocks.flatMap((block) => getBlockRules(block)))
  return [...new Set(reached)].filter((chain) => !declared.has(chain))
}

/** Disables the nfacct counters, because they would have to exist in advance. */
function loadable({ cluster, options }: Case): Case {
  return { cluster: { ...cluster, host: { ...cluster.host, nfacctCounters: false } }, options }
}

/** Generates results of iptables mode, of versions that need no kubelet by default. */
export function iptablesSamples(
  count: number,
  versions = versionsWithoutKubelet('iptables'),
): readonly CompileResult[] {
  return samples('iptables', count, versions).map(compileCase)
}

/** Generates results of each version in turn, without interfaces, because older versions look them up on load. */
export function nftablesSamples(count: number): readonly CompileResult[] {
  const drawn = fc.sample(cases, { numRuns: count, seed: 20 })
  return drawn.map(({ cluster, options: given }, index) => {
    // The table of 1.29 does not load if source ranges overlap.
    const versions = versionsOf('nftables').filter((version) => isVersionAtLeast(version, '1.30'))
    const kubernetesVersion = versions[index % versions.length] as string
    const options = { ...optionsOfMode(given, 'nftables'), kubernetesVersion }
    const understood = understoodCluster(cluster, options)
    const configuration = { ...understood.configuration, detectLocalMode: 'NodeCIDR' as const }
    return compileCase({ cluster: { ...understood, configuration }, options })
  })
}

export function userspaceSamples(count: number): readonly CompileResult[] {
  return samples('userspace', count, versionsOf('userspace')).map(compileCase)
}

/** Generates results of ipvs mode, of versions that need no kubelet by default. */
export function ipvsSamples(count: number, versions = versionsWithoutKubelet('ipvs')): readonly CompileResult[] {
  return samples('ipvs', count, versions).map(compileCase)
}

export function hasIpvsMatch({ tables }: IptablesState): boolean {
  const rules = tables.flatMap(({ blocks }) => blocks.flatMap(getBlockRules))
  return rules.some(({ matches }) => matches.some(({ kind }) => kind === 'ipvs'))
}

/** Compiles this many Services with a cluster IP each, in ipvs mode. */
export function ipvsOfSize(count: number): CompileResult {
  const services: readonly Service[] = Array.from({ length: count }, (_, index) => ({
    metadata: { namespace: 'ns', name: `service-${index}` },
    spec: { clusterIP: `10.96.${index >> 8}.${index & 255}`, ports: [{ port: 80 }] },
  }))
  return compile({ services }, { mode: 'ipvs', families: ['IPv4'] })
}

/** Returns the iptables tables of one family of a result. */
export function tablesOf(result: CompileResult, family: IpFamily): IptablesState {
  const state = iptablesStates(result).find((candidate) => candidate.family === family)
  if (state === undefined) throw new Error(family)
  return state
}

export function parsed(text: string, family: IpFamily): IptablesState {
  const read = parseIptables(text, family)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}

/** Prints the target chains of the jumps, then the jumps, as kube-proxy creates them before it restores the rest. */
export function jumpText({ tables, family }: IptablesState): string {
  return tables
    .map(({ name, jumps }) => {
      const chains = [...new Set(jumpTargetsOf(jumps))].map((chain) => `:${chain} - [0:0]`)
      const rules = jumps.map((rule) => printRule(rule, 'restore', family))
      return [`*${name}`, ...chains, ...rules, 'COMMIT\n'].join('\n')
    })
    .join('')
}
