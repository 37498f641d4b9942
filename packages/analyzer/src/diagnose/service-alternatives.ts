import { compile } from '@kube-rules/compiler/internal/compilation/compile'
import type {
  CompileInput,
  CompileOptions,
  CompileResult,
  FamilyResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { listNewerVersions } from '@kube-rules/compiler/internal/model/configuration/versions'
import { itemsOfArgument, type ObjectList } from '@kube-rules/compiler/internal/model/reading/object-list'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import { PROXY_MODES, type ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { DiagnosticsError, type Packet } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import { findDivergence, formatOutcomesOfPaths, omitMasquerading } from '../explain/difference.js'
import { trace } from '../trace/trace.js'
import { traceContextFor } from '../trace/trace-context.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { VersionChange } from './packet-diagnosis-context.js'
import { readSliceFields } from './slice-facts.js'

/** The `compile` arguments of a result. */
export interface CompileArguments {
  /** The first argument of `compile`. */
  readonly input: CompileInput
  /** The second argument of `compile`. */
  readonly options: CompileOptions
}

/** The namespace and name of a Service. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

/** The handling of one Service by other versions or modes of kube-proxy. */
export interface ServiceAlternatives {
  /** Returns the first newer version that rejects, drops or delivers a packet for the Service differently. */
  changeFor(packet: Packet): VersionChange | undefined
  /** Returns the other modes that handle a packet as the objects define. */
  betterModes(packet: Packet): readonly ProxyMode[]
  /** Returns the first newer version with a result that satisfies a condition. */
  firstVersion(holds: (result: CompileResult) => boolean): string | undefined
}

/**
 * Creates the queries for one Service. Each query compiles only this Service, because other Services do not affect the
 * result and compiling a large cluster would take long.
 */
export function createServiceAlternatives(
  result: CompileResult,
  from: CompileArguments,
  service: ServiceName,
): ServiceAlternatives {
  const { input, options } = from
  const name = result.families[0]?.plan.node.name
  const alone = selectServices(input, [service], name)
  const compiled = new Map<string, CompileResult | undefined>()
  const resultOf = (change: Pick<CompileOptions, 'mode' | 'kubernetesVersion'>): CompileResult | undefined => {
    const { mode = result.mode, kubernetesVersion = result.kubernetesVersion } = change
    const key = `${mode} ${kubernetesVersion}`
    if (!compiled.has(key))
      compiled.set(key, tryCompile(alone, { ...options, nodeName: name, mode, kubernetesVersion }))
    return compiled.get(key)
  }
  const newer = listNewerVersions(result.mode, result.kubernetesVersion)
  return {
    changeFor: (packet) => {
      const before = describeEffect(pathsOf(resultOf({}), packet))
      for (const version of newer) {
        const family = resultFor(resultOf({ kubernetesVersion: version }), packet)
        if (family === undefined) continue
        const paths = pathsThrough(family.state, family, packet)
        if (before !== undefined && describeEffect(paths) !== before) return { version, paths, plan: family.plan }
      }
      return undefined
    },
    betterModes: (packet) =>
      PROXY_MODES.filter((mode) => {
        const family = mode === result.mode ? undefined : resultFor(resultOf({ mode }), packet)
        if (family === undefined) return false
        return (
          findDivergence(decide(family.plan, packet), pathsThrough(family.state, family, packet), undefined) ===
          undefined
        )
      }),
    firstVersion: (holds) =>
      newer.find((version) => {
        const result = resultOf({ kubernetesVersion: version })
        return result !== undefined && holds(result)
      }),
  }
}

/** Returns the input with only these Services and their endpoints, and only one Node. */
export function selectServices(
  input: CompileInput,
  services: readonly ServiceName[],
  node: string | undefined,
): CompileInput {
  return { ...input, ...onlyOf(input, services), nodes: nodesNamed(input, node) }
}

/** Compiles; undefined if kube-proxy would reject the configuration. */
export function tryCompile(input: CompileInput, options: CompileOptions): CompileResult | undefined {
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

function pathsOf(result: CompileResult | undefined, packet: Packet): readonly TracePath[] | undefined {
  const family = resultFor(result, packet)
  return family && pathsThrough(family.state, family, packet)
}

function pathsThrough(state: NodeState, { plan }: FamilyResult, packet: Packet): readonly TracePath[] {
  return trace(state, packet, traceContextFor(plan))
}

/** Formats the outcomes of paths, without masquerading, for comparison. */
function describeEffect(paths: readonly TracePath[] | undefined): string | undefined {
  return paths && omitMasquerading(formatOutcomesOfPaths(paths)).join('\n')
}

function onlyOf(
  { services, endpointSlices = [], endpoints = [] }: CompileInput,
  names: readonly ServiceName[],
): Pick<CompileInput, 'services' | 'endpointSlices' | 'endpoints'> {
  const has = (namespace: unknown, name: unknown) =>
    names.some((each) => each.namespace === namespace && each.name === name)
  const isNamed = ({ metadata }: Named) => has(metadata?.namespace, metadata?.name)
  const isSlice = (slice: Named) => {
    const fields = readSliceFields(slice)
    return has(fields.namespace, fields.service)
  }
  return {
    services: only(itemsOfArgument('services', 'Service', services), isNamed),
    endpointSlices: only(itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices), isSlice),
    endpoints: only(itemsOfArgument('endpoints', 'Endpoints', endpoints), isNamed),
  }
}

function nodesNamed({ nodes = [] }: CompileInput, name: string | undefined): NonNullable<CompileInput['nodes']> {
  return only(
    itemsOfArgument('nodes', 'Node', nodes as ObjectList<Named>),
    ({ metadata }) => metadata?.name === name,
  ) as never
}

interface Named {
  readonly metadata?:
    | {
        readonly namespace?: string | null | undefined
        readonly name?: string | null | undefined
      }
    | null
    | undefined
}

/** Returns the objects that satisfy `isWanted`. Invalid objects are left out. */
function only<T>(objects: Iterable<T>, isWanted: (object: Named) => boolean): readonly T[] {
  return [...objects].filter((object) => typeof object === 'object' && object !== null && isWanted(object as Named))
}
