import { compile } from '@kube-rules/compiler/internal/compilation/compile'
import type {
  CompileInput,
  CompileOptions,
  CompileResult,
  FamilyResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { newerVersions } from '@kube-rules/compiler/internal/model/configuration/versions'
import { type ObjectsOf, objectsOf } from '@kube-rules/compiler/internal/model/reading/object-list'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import { type CompiledMode, PROXY_MODES } from '@kube-rules/compiler/internal/targets/modes'
import { DiagnosticsError, familyOf, type Packet } from '@kube-rules/types'
import { differenceOf, outcomesOfWays } from '../explain/difference.js'
import { surroundingsOf, trace } from '../trace/trace.js'
import type { Way } from '../trace/trace-ways.js'
import type { VersionChange } from './packet-facts.js'

/** The inputs of a result. */
export interface CompiledFrom {
  readonly input: CompileInput
  readonly options: CompileOptions
}

/** The namespace and name of a Service. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

/** The handling of one Service by other versions or modes of kube-proxy. */
export interface OtherRules {
  /** Returns the first newer version that rejects, drops or delivers a packet for the Service differently. */
  changeFor(packet: Packet): VersionChange | undefined
  /** Returns the other modes that handle a packet as the objects define. */
  betterModes(packet: Packet): readonly CompiledMode[]
  /** Returns the first newer version with a result that satisfies a condition. */
  firstVersion(holds: (result: CompileResult) => boolean): string | undefined
}

/**
 * Creates the queries for a single Service. It is compiled alone, because other Services do not affect it and a large
 * cluster would take long.
 */
export function otherRulesOf(result: CompileResult, from: CompiledFrom, service: ServiceName): OtherRules {
  const { input, options } = from
  const name = result.families[0]?.plan.node.name
  const alone = { ...input, ...onlyOf(input, service), nodes: nodesNamed(input, name) }
  const compiled = new Map<string, CompileResult | undefined>()
  const resultOf = (change: Pick<CompileOptions, 'mode' | 'kubernetesVersion'>): CompileResult | undefined => {
    const { mode = result.mode, kubernetesVersion = result.kubernetesVersion } = change
    const key = `${mode} ${kubernetesVersion}`
    if (!compiled.has(key))
      compiled.set(key, tryCompile(alone, { ...options, nodeName: name, mode, kubernetesVersion }))
    return compiled.get(key)
  }
  const newer = newerVersions(result.mode, result.kubernetesVersion)
  return {
    changeFor: (packet) => {
      const before = fateOf(waysOf(resultOf({}), packet))
      for (const version of newer) {
        const family = resultFor(resultOf({ kubernetesVersion: version }), packet)
        if (family === undefined) continue
        const ways = waysThrough(family.state, family, packet)
        if (before !== undefined && fateOf(ways) !== before) return { version, ways, plan: family.plan }
      }
      return undefined
    },
    betterModes: (packet) =>
      PROXY_MODES.filter((mode) => {
        const family = mode === result.mode ? undefined : resultFor(resultOf({ mode }), packet)
        if (family === undefined) return false
        return (
          differenceOf(decide(family.plan, packet), waysThrough(family.state, family, packet), undefined) === undefined
        )
      }),
    firstVersion: (holds) =>
      newer.find((version) => {
        const found = resultOf({ kubernetesVersion: version })
        return found !== undefined && holds(found)
      }),
  }
}

/** Compiles; undefined if kube-proxy would reject the configuration. */
function tryCompile(input: CompileInput, options: CompileOptions): CompileResult | undefined {
  try {
    return compile(input, { ...options, previous: undefined, strict: false })
  } catch (error) {
    if (error instanceof DiagnosticsError) return undefined
    throw error
  }
}

function resultFor(result: CompileResult | undefined, { destination }: Packet): FamilyResult | undefined {
  return result?.families.find(({ family }) => family === familyOf(destination))
}

function waysOf(result: CompileResult | undefined, packet: Packet): readonly Way[] | undefined {
  const family = resultFor(result, packet)
  return family && waysThrough(family.state, family, packet)
}

function waysThrough(state: NodeState, { plan }: FamilyResult, packet: Packet): readonly Way[] {
  return trace(state, packet, surroundingsOf(plan))
}

/** Returns the outcomes without masquerading. */
function fateOf(ways: readonly Way[] | undefined): string | undefined {
  return ways && [...new Set(outcomesOfWays(ways).map((text) => text.replace(', masqueraded', '')))].sort().join('\n')
}

function onlyOf(
  { services, endpointSlices = [], endpoints = [] }: CompileInput,
  { namespace, name }: ServiceName,
): Pick<CompileInput, 'services' | 'endpointSlices' | 'endpoints'> {
  const isNamed = ({ metadata }: Named) => metadata?.namespace === namespace && metadata.name === name
  const isSlice = ({ metadata }: Named) =>
    metadata?.namespace === namespace && metadata.labels?.['kubernetes.io/service-name'] === name
  return {
    services: only(objectsOf('services', 'Service', services), isNamed),
    endpointSlices: only(objectsOf('endpointSlices', 'EndpointSlice', endpointSlices), isSlice),
    endpoints: only(objectsOf('endpoints', 'Endpoints', endpoints), isNamed),
  }
}

function nodesNamed({ nodes = [] }: CompileInput, name: string | undefined): NonNullable<CompileInput['nodes']> {
  return only(objectsOf('nodes', 'Node', nodes as ObjectsOf<Named>), ({ metadata }) => metadata?.name === name) as never
}

interface Named {
  readonly metadata?:
    | {
        readonly namespace?: string | null | undefined
        readonly name?: string | null | undefined
        readonly labels?: Readonly<Record<string, string>> | null | undefined
      }
    | null
    | undefined
}

/** Filters objects; invalid ones are left out. */
function only<T>(objects: Iterable<T>, isWanted: (object: Named) => boolean): readonly T[] {
  return [...objects].filter((object) => typeof object === 'object' && object !== null && isWanted(object as Named))
}
