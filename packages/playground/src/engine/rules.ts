import { listFrontends, type TracedFrontend } from '@kube-rules/analyzer/explain'
import { sourceObjectsOf } from '@kube-rules/analyzer/view'
import {
  type Cluster,
  type LineRange,
  type LocatedObject,
  locateObjects,
  mergeClusterDiagnostics,
} from '@kube-rules/application/cluster'
import { InputError } from '@kube-rules/application/messages'
import { chooseFamilies, type FamilyChoice, type TextLine } from '@kube-rules/application/print'
import type { CompileResult } from '@kube-rules/compiler'
import { formatsOf, subsystemsOf, type TextFormat } from '@kube-rules/compiler'
import { type Diagnostic, formatDiagnostic, formatReference, type Service } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { rewordMessage } from './page-words.js'
import type { CompiledRequest, PlaygroundCache } from './playground-cache.js'
import type { ObjectProblem, RulesResult, ServicePortLocation } from './results.js'
import { listNodeNames } from './shown-node.js'

/** Computes the rules as the command prints them, the owner of each line, and the problems of the objects. */
export function computeRulesResult(question: PlaygroundRequest, memory: PlaygroundCache): RulesResult {
  const places = placesOf(question, memory)
  try {
    return answerOf(memory.compiled(question), question, places, memory)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return failedAnswer(error, places)
  }
}

function answerOf(
  compiled: CompiledRequest,
  question: PlaygroundRequest,
  places: Places,
  memory: PlaygroundCache,
): RulesResult {
  const { cluster, result, node } = compiled
  const frontends = frontendsOf(result)
  const names = ownersOf(frontends)
  const { text, owners } = memory.joined(printRequestLines(question, compiled, memory), names)
  const ports = severalPorts(cluster)
  return {
    text,
    owners,
    failure: '',
    mode: result.mode,
    version: result.kubernetesVersion,
    subsystems: subsystemsOf(result.mode),
    formats: stylesOf(result, question.subsystem),
    nodes: listNodeNames(cluster),
    node: node.name,
    nodeReason: node.reason,
    otherNode: node.other,
    servicePorts: names.map((name) => placeOfPort(name, result, ports, places)),
    problems: problemsOf(mergeClusterDiagnostics(cluster, result.diagnostics), places),
    notes: cluster.notes,
    packets: packetsTo(frontends),
    services: cluster.services.length,
  }
}

/** Returns the lines of `print`, for the families that the command prints. */
export function printRequestLines(
  question: PlaygroundRequest,
  { cluster, result }: Pick<CompiledRequest, 'cluster' | 'result'>,
  memory: PlaygroundCache,
): readonly TextLine[] {
  const expected = chooseFamilies(FAMILIES[question.family], 'text', cluster.services)
  const families = result.families.filter(({ family }) => expected.includes(family))
  // Uses the default if the requested text format or subsystem belongs to another mode.
  const format = stylesOf(result, question.subsystem).find((each) => each === question.format) ?? 'save'
  const subsystem = subsystemsOf(result.mode).find((name) => name === question.subsystem)
  return memory.printed({ families }, { format, subsystem })
}

const FAMILIES: Readonly<Record<string, FamilyChoice>> = { IPv4: '4', IPv6: '6', both: 'both' }

function stylesOf({ mode }: CompileResult, chosen: string): readonly TextFormat[] {
  const subsystems = subsystemsOf(mode).filter(
    (language, _, all) => !all.includes(chosen as never) || language === chosen,
  )
  return [...new Set(subsystems.flatMap(formatsOf))]
}

/** Returns the sorted service ports of a result. */
export function servicePortsOfResult(result: CompileResult): readonly string[] {
  return ownersOf(frontendsOf(result))
}

function frontendsOf({ families }: CompileResult): readonly TracedFrontend[] {
  return families.flatMap(({ state, plan }) => listFrontends(state, { plan }))
}

function ownersOf(frontends: readonly TracedFrontend[]): readonly string[] {
  return [...new Set(frontends.map(({ owner }) => owner))].sort()
}

type Places = ReadonlyMap<string, LocatedObject>

/**
 * Locates the objects by their names in messages. A Service or EndpointSlice without a namespace is also found in the
 * namespace that it gets.
 */
function placesOf({ objects, namespace }: PlaygroundRequest, memory: PlaygroundCache): Places {
  const located = locateObjects(objects, memory.places)
  const places = new Map<string, LocatedObject>()
  // If several objects have the same name, the last object counts.
  for (const each of located) {
    const { object } = each
    if (object.namespace === undefined && IN_NAMESPACES.has(object.kind))
      places.set(formatReference({ ...object, namespace: namespace || 'default' }), each)
    places.set(each.name, each)
  }
  return places
}

const IN_NAMESPACES: ReadonlySet<string> = new Set(['Service', 'EndpointSlice', 'Endpoints'])

/**
 * Returns the lines of the objects that define a service port: in Services and EndpointSlices with several ports, only
 * the entry of the port; in other objects, all lines.
 */
function placeOfPort(name: string, result: CompileResult, ports: PortsOfObjects, places: Places): ServicePortLocation {
  const locations = sourceObjectsOf(result, name).flatMap((object) => places.get(formatReference(object)) ?? [])
  const own = locations.flatMap(({ object, name: objectName, lines, linesOf }): LineRange[] => {
    const given = ports.get(objectName)
    if (given === undefined) return [lines]
    const [, port = '', protocol = ''] = /^[^:/]*\/[^:/]*(?::([^/]*))?\/([A-Z]+)$/.exec(name) ?? []
    const index = given.findIndex((each) => (each.name ?? '') === port && (each.protocol ?? 'TCP') === protocol)
    const path = object.kind === 'Service' ? 'spec.ports' : 'ports'
    return index < 0 ? [] : [linesOf(`${path}[${index}]`)]
  })
  return { name, lines: own, objects: locations.map(({ lines }) => lines) }
}

interface GivenPort {
  readonly name?: string | null | undefined
  readonly protocol?: string | null | undefined
}

type PortsOfObjects = ReadonlyMap<string, readonly GivenPort[]>

/** Collects the ports of Services and slices with several ports. */
function severalPorts({ services, endpointSlices }: Cluster): PortsOfObjects {
  const groups = new Map<string, readonly GivenPort[]>()
  const add = (kind: string, { metadata }: Pick<Service, 'metadata'>, ports: readonly GivenPort[] = []) => {
    const reference = { kind, namespace: metadata?.namespace ?? undefined, name: metadata?.name ?? '' }
    if (ports.length > 1) groups.set(formatReference(reference), ports)
  }
  for (const service of services) add('Service', service, service.spec?.ports ?? [])
  for (const slice of endpointSlices) add('EndpointSlice', slice, slice.ports ?? [])
  return groups
}

/** Adds line numbers to each diagnostic: the lines of its path or, without a path, the first line of its object. */
function problemsOf(diagnostics: readonly Diagnostic[], places: Places): readonly ObjectProblem[] {
  return diagnostics.map((diagnostic) => {
    const { severity, object, path } = diagnostic
    const place = places.get(formatReference(object)) ?? configurationOf(object.kind, places)
    const lines = place && (path === undefined ? { from: place.lines.from, to: place.lines.from } : place.linesOf(path))
    return { severity, text: rewordMessage(formatDiagnostic(diagnostic)), lines }
  })
}

/** Finds the configuration by kind, because it has no name. */
function configurationOf(kind: string, places: Places): LocatedObject | undefined {
  if (kind !== 'KubeProxyConfiguration') return undefined
  return [...places.values()].find(({ object }) => object.kind === kind)
}

function failedAnswer({ message, details, diagnostics }: InputError, places: Places): RulesResult {
  const problems = problemsOf(diagnostics, places)
  return {
    failure: [`error: ${message}`, ...details].map(rewordMessage).join('\n'),
    text: '',
    owners: new Uint16Array(),
    mode: '',
    version: '',
    subsystems: [],
    formats: [],
    nodes: [],
    node: '',
    nodeReason: '',
    otherNode: '',
    servicePorts: [],
    problems,
    notes: [],
    packets: [],
    services: 0,
  }
}

/** Maximum number of useful suggestions. */
const MOST_PACKETS = 60

/** Suggests a packet to each frontend from its usual origin. */
export function packetsTo(frontends: readonly TracedFrontend[]): readonly string[] {
  const packets = frontends.slice(0, MOST_PACKETS).map(({ address, port, protocol, kind }) => {
    const suffix = protocol === 'TCP' ? '' : `/${protocol.toLowerCase()}`
    if (kind === 'nodePort') return `from outside → node:${port}${suffix}`
    return `from ${kind === 'clusterIP' ? 'pod' : 'outside'} → ${joinHostPort(address, port)}${suffix}`
  })
  return [...new Set(packets)]
}
