import { readFileSync } from 'node:fs'
import type { IpFamily, Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { parseManifests } from '@kube-rules/types/schema'
import { loadAll } from 'js-yaml'
import { trace } from '../../../analyzer/src/trace/trace.js'
import { traceContextFor } from '../../../analyzer/src/trace/trace-context.js'
import { safeCompile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileResult, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { isVersionAtLeast } from '../../../compiler/src/model/configuration/versions.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import { print } from '../../../compiler/src/print/print.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { drawnVersions } from '../../../compiler/test/support/drawn-versions.js'

// The expected files of a cluster in fixtures/matrix. For each mode and family they contain the rules and the paths of
// packets, in one file for each range of versions with the same text, and the output of the tools for the newest rules.

/** The format of the tools, by mode. */
const TOOL_FORMATS = { iptables: 'save', ipvs: 'listing', nftables: 'save', userspace: 'save' } as const

export interface Goldens {
  /** The content of each file. */
  readonly files: ReadonlyMap<string, string>
  /** A result for each distinct text, and the results of the newest version. */
  readonly results: readonly CompileResult[]
  readonly newest: readonly CompileResult[]
}

/** Computes the expected files of a cluster. */
export function goldensOf(path: string): Goldens {
  const input = parseManifests(loadAll(readFileSync(path, 'utf8')))
  const files = new Map<string, string>()
  const results: CompileResult[] = []
  const newest: CompileResult[] = []
  for (const mode of PROXY_MODES) {
    const compiled = drawnVersions(mode).flatMap((version) => {
      const result = compileFor(input, mode, version)
      return result === undefined ? [] : [{ version, result }]
    })
    const last = compiled.at(-1)?.result
    for (const family of familiesOf(last)) {
      const name = `${mode}.${family.toLowerCase()}`
      const rules = compiled.flatMap(({ version, result }): readonly OfVersions[] => {
        const [own] = ofFamily(result, family)
        return own === undefined ? [] : [{ versions: version, result, text: print(own.state) }]
      })
      const ranges = rangesOf(rules)
      for (const { versions, text, result } of ranges) {
        files.set(`${name}.${versions}.restore`, text)
        results.push({ ...result, families: ofFamily(result, family) })
      }
      const paths = ranges.map((range) => ({ ...range, text: packetLines(ofFamily(range.result, family)) }))
      for (const { versions, text } of rangesOf(paths)) files.set(`${name}.${versions}.packets`, text)
      newest.push(...results.slice(-1))
      for (const { state } of last === undefined ? [] : ofFamily(last, family))
        files.set(`${name}.${TOOL_FORMATS[mode]}`, print(state, { format: TOOL_FORMATS[mode] }))
    }
  }
  return { files, results, newest }
}

/** Returns undefined if this version of kube-proxy rejects the configuration. */
function compileFor(input: CompileInput, mode: ProxyMode, version: string): CompileResult | undefined {
  // nftables mode is alpha in 1.29 and 1.30.
  const gates = mode === 'nftables' && !isVersionAtLeast(version, '1.31') ? { NFTablesProxyMode: true } : {}
  const configuration = { ...input.configuration, featureGates: gates }
  const compiled = safeCompile({ ...input, configuration }, { nodeName: 'node-1', mode, kubernetesVersion: version })
  return compiled.ok ? compiled.value : undefined
}

function ofFamily({ families }: CompileResult, family: IpFamily): readonly FamilyResult[] {
  return families.filter((each) => each.family === family)
}

/** Returns the families with Services, or IPv4. */
function familiesOf(result: CompileResult | undefined): readonly IpFamily[] {
  const served = result?.families.filter(({ plan }) => plan.services.length > 0).map(({ family }) => family) ?? []
  return served.length > 0 ? served : ['IPv4']
}

/** A text of one version, or of a range of versions: `1.27-1.37`. */
interface OfVersions {
  readonly versions: string
  readonly result: CompileResult
  readonly text: string
}

/** Combines consecutive versions with the same text. */
function rangesOf(texts: readonly OfVersions[]): readonly OfVersions[] {
  const ranges: OfVersions[] = []
  for (const each of texts) {
    const open = ranges.at(-1)
    if (open?.text !== each.text) ranges.push(each)
    else ranges[ranges.length - 1] = { ...open, versions: joinVersions(open.versions, each.versions) }
  }
  return ranges.filter(({ text }) => text !== '')
}

function joinVersions(earlier: string, later: string): string {
  return `${earlier.split('-')[0]}-${later.split('-').at(-1)}`
}

/** Addresses of senders. */
const SOURCES = {
  IPv4: {
    podsOfNode: '10.244.1.',
    pod: '10.244.1.99',
    outside: '203.0.113.9',
    node: '192.168.0.2',
    loopback: '127.0.0.1',
  },
  IPv6: {
    podsOfNode: 'fd00:244:1:',
    pod: 'fd00:244:1::99',
    outside: '2001:db8:ffff::9',
    node: '2001:db8::2',
    loopback: '::1',
  },
} as const

/** `pod 10.244.1.99 -> 10.96.0.10:80/TCP: 10.244.1.5:8080 1/2, 10.244.2.7:8080 1/2 masqueraded`. */
function packetLines(families: readonly FamilyResult[]): string {
  return families
    .flatMap(({ state, plan }) => packetsOf(plan).map((packet) => packetLine(state, plan, packet)))
    .join('')
}

function packetLine(state: NodeState, plan: Plan, packet: Packet): string {
  const paths = trace(state, packet, traceContextFor(plan)).map(({ outcome, weight }) =>
    outcome.kind === 'delivered'
      ? `${joinHostPort(outcome.address, outcome.port)} ${weight}${outcome.masqueraded ? ' masqueraded' : ''}`
      : outcome.kind,
  )
  const { origin, source, destination, destinationPort, protocol } = packet
  return `${origin} ${source} -> ${joinHostPort(destination, destinationPort)}/${protocol}: ${paths.sort().join(', ')}\n`
}

/** Returns packets to every frontend from a pod, from the first endpoint on the node, from outside, and from the node. */
function packetsOf({ family, services }: Plan): readonly Packet[] {
  const { podsOfNode, pod, outside, node, loopback } = SOURCES[family]
  return services.flatMap(({ id: { protocol }, frontends, reachable }) => {
    const own = reachable.find(({ ip }) => ip.startsWith(podsOfNode))?.ip
    const sources: readonly Omit<Packet, 'protocol' | 'destination' | 'destinationPort'>[] = [
      { origin: 'pod', source: pod, inInterface: 'cni0' },
      ...(own === undefined ? [] : [{ origin: 'pod', source: own, inInterface: 'cni0' } as const]),
      { origin: 'outside', source: outside, inInterface: 'eth0' },
      { origin: 'node', source: node },
    ]
    return frontends.flatMap(({ address, port }) => [
      ...sources.map((each) => ({ ...each, protocol, destination: address ?? node, destinationPort: port })),
      ...(address === undefined
        ? [{ origin: 'node', source: loopback, protocol, destination: loopback, destinationPort: port } as const]
        : []),
    ])
  })
}
