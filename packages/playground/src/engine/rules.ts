import { type Cluster, clusterDiagnostics, InputError } from '@kube-rules/cli/cluster'
import { chooseFamilies, type FamilyChoice } from '@kube-rules/cli/commands'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler'
import { surveyedFrontends } from '@kube-rules/compiler/explain'
import { languageNames, languagesOf, type Spelling, spellingsOf } from '@kube-rules/compiler/tables'
import { objectsOf, type PrintedLine, printedLines } from '@kube-rules/compiler/view'
import { type Diagnostic, formatDiagnostic, formatReference, type IpFamily, joinHostPort } from '@kube-rules/types'
import type { Question } from '../question/question.js'
import { type Lines, type PlacedObject, placedObjects } from '../yaml/places.js'
import type { OwnedText, Problem, RulesAnswer, ServicePortPlace } from './answers.js'
import type { Compiled, Memory } from './memory.js'

/** The rules, as the command prints them, whose each line is, and what is wrong with the objects. */
export function answerRules(question: Question, memory: Memory): RulesAnswer {
  const places = placesOf(question.objects, memory)
  try {
    return answerOf(memory.compiled(question), question, places)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return failedAnswer(error, places)
  }
}

function answerOf(compiled: Compiled, question: Question, places: Places): RulesAnswer {
  const { cluster, result } = compiled
  const names = servicePortsOf(result)
  return {
    ...ownedText(printedFor(question, compiled), names),
    failure: '',
    mode: result.mode,
    version: result.kubernetesVersion,
    languages: languagesOf(result.mode),
    styles: stylesOf(result, question.language),
    nodes: cluster.nodes.flatMap(({ metadata }) => metadata?.name ?? []),
    servicePorts: names.map((name) => placeOfPort(name, result, cluster, places)),
    problems: problemsOf(clusterDiagnostics(cluster, result.diagnostics), places),
    notes: cluster.notes,
    packets: packetsOf(result),
    services: cluster.services.length,
  }
}

/** The lines of `print`, of the families that the command would print. */
export function printedFor(question: Question, { cluster, result }: Compiled): readonly PrintedLine[] {
  const families = chooseFamilies(FAMILIES[question.family], 'text', cluster.services)
  const shown = result.families.filter(({ family }) => families.includes(family))
  return shown.flatMap((each) => {
    const lines = linesOfFamily(each, question)
    return shown.length === 1 ? lines : [headingOf(each.family, lines), ...lines]
  })
}

const FAMILIES: Readonly<Record<string, FamilyChoice>> = { IPv4: '4', IPv6: '6', both: 'both' }

function headingOf(family: IpFamily, [first]: readonly PrintedLine[]): PrintedLine {
  return { text: `# ${family}`, language: first?.language ?? 'iptables', servicePort: '', place: '', rules: [] }
}

function linesOfFamily({ state }: FamilyResult, { style, language }: Question): readonly PrintedLine[] {
  const spelling: Spelling = style === 'restore' || style === 'listing' ? style : 'save'
  const own = languageNames().filter((name) => state[name] !== undefined)
  // A spelling that one language alone has stands for that language.
  const only =
    spelling === 'listing'
      ? own.find((name) => spellingsOf(name).includes(spelling))
      : own.find((name) => name === language)
  return printedLines(state, { spelling, language: only })
}

function stylesOf({ mode }: CompileResult, chosen: string): readonly string[] {
  const languages = languagesOf(mode).filter(
    (language, _, all) => !all.includes(chosen as never) || language === chosen,
  )
  return [...new Set(languages.flatMap(spellingsOf))]
}

/** In the order of the plan. */
export function servicePortsOf({ families }: CompileResult): readonly string[] {
  const owners = families.flatMap(({ state, plan }) => surveyedFrontends(state, { plan }).map(({ owner }) => owner))
  return [...new Set(owners)].sort()
}

/** The text, and the number of the service port of each line. */
export function ownedText(lines: readonly PrintedLine[], names: readonly string[]): OwnedText {
  const numbers = new Map(names.map((name, index) => [name, index + 1]))
  return {
    text: lines.map(({ text }) => `${text}\n`).join(''),
    owners: Uint16Array.from(lines, ({ servicePort }) => numbers.get(servicePort) ?? 0),
  }
}

type Places = ReadonlyMap<string, PlacedObject>

function placesOf(text: string, memory: Memory): Places {
  // Of two with one name the later counts.
  return new Map(placedObjects(text, memory.places).map((each) => [formatReference(each.object), each]))
}

/** Its port in the Service and in the slices where these have several, then the objects. */
function placeOfPort(name: string, result: CompileResult, cluster: Cluster, places: Places): ServicePortPlace {
  const [, port = '', protocol = ''] = /^[^:/]*\/[^:/]*(?::([^/]*))?\/([A-Z]+)$/.exec(name) ?? []
  const found = objectsOf(result, name).flatMap((object) => places.get(formatReference(object)) ?? [])
  const own = found.flatMap(({ object, lines, linesOf }): Lines[] => {
    const given = portsOf(object, cluster)
    if (given.length <= 1) return [lines]
    const index = given.findIndex((each) => (each.name ?? '') === port && (each.protocol ?? 'TCP') === protocol)
    const path = object.kind === 'Service' ? 'spec.ports' : 'ports'
    return index < 0 ? [] : [linesOf(`${path}[${index}]`)]
  })
  return { name, lines: own, objects: found.map(({ lines }) => lines) }
}

interface GivenPort {
  readonly name?: string | null | undefined
  readonly protocol?: string | null | undefined
}

function portsOf({ kind, namespace, name }: PlacedObject['object'], cluster: Cluster): readonly GivenPort[] {
  const isIt = ({
    metadata,
  }: {
    readonly metadata?:
      | { readonly namespace?: string | null | undefined; readonly name?: string | null | undefined }
      | null
      | undefined
  }) => metadata?.name === name && (metadata?.namespace ?? undefined) === namespace
  if (kind === 'Service') return cluster.services.find(isIt)?.spec?.ports ?? []
  if (kind === 'EndpointSlice') return cluster.endpointSlices.find(isIt)?.ports ?? []
  return []
}

/** Each with the lines of its place, or of its object. */
function problemsOf(diagnostics: readonly Diagnostic[], places: Places): readonly Problem[] {
  return diagnostics.map((diagnostic) => {
    const { severity, object, path } = diagnostic
    const place = places.get(formatReference(object)) ?? configurationOf(object.kind, places)
    const lines = place && (path === undefined ? { from: place.lines.from, to: place.lines.from } : place.linesOf(path))
    return { severity, text: formatDiagnostic(diagnostic), lines }
  })
}

/** A configuration has no name of its own. */
function configurationOf(kind: string, places: Places): PlacedObject | undefined {
  if (kind !== 'KubeProxyConfiguration') return undefined
  return [...places.values()].find(({ object }) => object.kind === kind)
}

function failedAnswer({ message, details, diagnostics }: InputError, places: Places): RulesAnswer {
  const problems = problemsOf(diagnostics, places)
  return {
    failure: [`error: ${message}`, ...details].join('\n'),
    text: '',
    owners: new Uint16Array(),
    mode: '',
    version: '',
    languages: [],
    styles: [],
    nodes: [],
    servicePorts: [],
    problems,
    notes: [],
    packets: [],
    services: 0,
  }
}

/** More suggestions than this nobody reads. */
const MOST_PACKETS = 60

/** Packets to every frontend, from where they usually come. */
function packetsOf({ families }: CompileResult): readonly string[] {
  const frontends = families.flatMap(({ state, plan }) => surveyedFrontends(state, { plan }))
  const packets = frontends.slice(0, MOST_PACKETS).map(({ address, port, protocol, kind }) => {
    const suffix = protocol === 'TCP' ? '' : `/${protocol.toLowerCase()}`
    if (kind === 'nodePort') return `from outside → node:${port}${suffix}`
    return `from ${kind === 'clusterIP' ? 'pod' : 'outside'} → ${joinHostPort(address, port)}${suffix}`
  })
  return [...new Set(packets)]
}
