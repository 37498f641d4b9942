import { readdirSync, readFileSync } from 'node:fs'
import type { EndpointSlice, IpFamily, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { type CompileResult, compile, type ResultOf } from '../../src/compile.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { jumpDestinations } from '../../src/dataplane/iptables/chains.js'
import { printRule } from '../../src/dataplane/iptables/print.js'
import { type Case, cases } from './clusters.js'
import { compileCase } from './renderings.js'

const FIXTURES = new URL('../../../../fixtures/', import.meta.url)

export interface Golden {
  readonly name: string
  readonly family: IpFamily
  readonly text: string
}

/** Every `fixtures/CASE/iptables.FAMILY.restore`. */
export function goldens(): readonly Golden[] {
  const folders = readdirSync(FIXTURES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.flatMap(({ name: folder }) =>
    readdirSync(new URL(`${folder}/`, FIXTURES))
      .filter((file) => /^iptables\.ipv[46]\.restore$/.test(file))
      .map((file) => ({
        name: `${folder}/${file}`,
        family: file.includes('ipv6') ? 'IPv6' : 'IPv4',
        text: readFileSync(new URL(`${folder}/${file}`, FIXTURES), 'utf8'),
      })),
  )
}

/** Generated clusters, always the same ones. The counters of nfacct would have to exist before. */
function samples(mode: 'iptables' | 'ipvs', count: number): readonly Case[] {
  return fc.sample(cases, { numRuns: count, seed: 20 }).map(({ cluster, options }) => ({
    cluster: { ...cluster, host: { ...cluster.host, nfacctCounters: false } },
    options: { ...options, mode },
  }))
}

export function iptablesSamples(count: number): readonly CompileResult[] {
  return samples('iptables', count).map(compileCase)
}

/** Without those that have a match on virtual servers, for which the kernel needs the module ip_vs. */
export function ipvsSamples(count: number): readonly ResultOf<'ipvs'>[] {
  return samples('ipvs', count)
    .map(compileCase)
    .filter((result) => result.mode === 'ipvs')
    .filter(({ families }) => families.every(({ state }) => !hasIpvsMatch(state.iptables)))
}

function hasIpvsMatch({ tables }: IptablesState): boolean {
  const rules = tables.flatMap(({ blocks }) => blocks.flatMap((block) => block.rules))
  return rules.some(({ matches }) => matches.some(({ kind }) => kind === 'ipvs'))
}

/** One Service with so many endpoints. */
export function serviceOfSize(size: number): CompileResult {
  const service: Service = {
    metadata: { namespace: 'ns', name: 'large' },
    spec: { clusterIP: '10.96.0.1', ports: [{ port: 80 }], sessionAffinity: 'ClientIP' },
  }
  const slice: EndpointSlice = {
    metadata: { namespace: 'ns', name: 'large-1', labels: { 'kubernetes.io/service-name': 'large' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080 }],
    endpoints: Array.from({ length: size }, (_, index) => ({ addresses: [`10.244.${index >> 8}.${index & 255}`] })),
  }
  return compile({ services: [service], endpointSlices: [slice] }, { mode: 'iptables', families: ['IPv4'] })
}

/** The chains of the jumps, then the jumps, as kube-proxy makes them before it restores the rest. */
export function jumpText({ tables, family }: IptablesState): string {
  return tables
    .map(({ name, jumps }) => {
      const chains = [...new Set(jumpDestinations(jumps))].map((chain) => `:${chain} - [0:0]`)
      const rules = jumps.map((rule) => printRule(rule, 'restore', family))
      return [`*${name}`, ...chains, ...rules, 'COMMIT\n'].join('\n')
    })
    .join('')
}
