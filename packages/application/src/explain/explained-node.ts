import { type TraceContext, type VerifyReport, verify } from '@kube-rules/analyzer'
import {
  addExpectedChains,
  annotateOwners,
  type CompileArguments,
  type Diagnosis,
  traceContextFor,
} from '@kube-rules/analyzer/explain'
import { diagnoseNode, type FamilyReport } from '@kube-rules/analyzer/verify'
import { caveatsView } from '@kube-rules/analyzer/view'
import type { CompileResult, NodeState } from '@kube-rules/compiler'
import type { Plan } from '@kube-rules/compiler/plan'
import { type Diagnostic, IP_FAMILIES, type IpFamily, type Node, type Service } from '@kube-rules/types'
import type { AssumedValue } from '@kube-rules/types/manifests'
import { mergeClusterDiagnostics } from '../cluster/cluster-diagnostics.js'
import {
  type CompileOptionValues,
  compileCluster,
  toCompileInput,
  toCompileOptions,
} from '../cluster/compile-cluster.js'
import type { Cluster } from '../cluster/read-cluster.js'
import { createDumpLocator } from '../dump/dump-locator.js'
import { addInterfaces, addressesOf, readInterfaces } from '../dump/node-interfaces.js'
import { formatNodeSettings } from '../dump/node-settings.js'
import type { ReadDumpResult } from '../dump/read-dump.js'

/** The state of the node in one family. If there are objects, also the plan and the expected state. */
export interface ExplainedFamily {
  readonly family: IpFamily
  readonly state: NodeState
  readonly traceContext: TraceContext
  readonly plan?: Plan | undefined
  /** The state that kube-proxy would write, if there are objects. */
  readonly compiled?: NodeState | undefined
  /** The report of the family; absent without objects or without a dump, or if a part of the dump is missing. */
  readonly report?: FamilyReport | undefined
}

export interface ExplainedNode {
  /** The families in the order IPv4, IPv6. */
  readonly families: readonly ExplainedFamily[]
  /** The complete compile result and its inputs, if there are objects. */
  readonly compiledFrom?: { readonly result: CompileResult; readonly from: CompileArguments } | undefined
  /** The texts of the dump; empty without a dump. */
  readonly sources: ReadDumpResult['sources']
  /** Adds the file and line of its rule to a diagnosis, if the dump contains the rule; absent without a dump. */
  readonly addLocation?: ((diagnosis: Diagnosis) => Diagnosis) | undefined
  /** All Nodes among the objects. */
  readonly nodes: readonly Node[]
  /** All Services among the objects; absent without objects. */
  readonly services?: readonly Service[] | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** The assumed values; empty without objects. */
  readonly assumed: readonly AssumedValue[]
  /** Reasons why objects and dump may be from different nodes, one line each. */
  readonly caveats: readonly string[]
  /** Notes about the objects and dumps, each a complete line. */
  readonly notes: readonly string[]
  /** Returns the diagnoses of the drift of the node; absent without objects or without a dump. */
  readonly diagnoseDrift?: (() => readonly Diagnosis[]) | undefined
}

/**
 * Returns a node of a cluster. Its state is the actual state if there is a dump, or else the expected state.
 *
 * @throws InputError like `compileCluster`.
 */
export function createNodeFromCluster(
  given: Cluster,
  values: CompileOptionValues,
  read: ReadDumpResult = NO_DUMP,
): ExplainedNode {
  if (read === NO_DUMP) return createNodeFromResult(given, values, compileCluster(given, values, IP_FAMILIES))
  const { cluster, notes } = addInterfaces(given, read.sources)
  const result = compileCluster(cluster, values, IP_FAMILIES, { dumps: [read.dump] })
  return createNodeFromResult(cluster, values, result, { ...read, coverages: [...read.coverages, ...notes] })
}

/** Returns a node of a cluster for its computed rules, like `createNodeFromCluster`. */
export function createNodeFromResult(
  cluster: Cluster,
  values: CompileOptionValues,
  result: CompileResult,
  read: ReadDumpResult = NO_DUMP,
): ExplainedNode {
  const { dump, sources, notes, coverages } = read
  const isDumped = read !== NO_DUMP
  const report = isDumped ? verify(result, dump) : undefined
  const families = result.families.map((compiled, index) => ({
    family: compiled.family,
    report: completeOrNone(report?.families[index]),
    state: isDumped
      ? annotateOwners(addExpectedChains(dump[compiled.family], compiled.state), compiled.state)
      : compiled.state,
    traceContext: traceContextFor(compiled.plan),
    plan: compiled.plan,
    compiled: compiled.state,
  }))
  return {
    families,
    compiledFrom: {
      result,
      from: { input: toCompileInput(cluster), options: toCompileOptions(cluster, values, IP_FAMILIES) },
    },
    sources,
    addLocation: isDumped ? createDumpLocator(sources) : undefined,
    nodes: cluster.nodes,
    services: cluster.services,
    diagnostics: mergeClusterDiagnostics(cluster, result.diagnostics),
    assumed: cluster.assumed,
    notes: [...notes, ...coverages, ...formatNodeSettings(sources, result), ...cluster.notes],
    caveats: report === undefined ? [] : caveatsOf(report),
    diagnoseDrift: report && createLazyDiagnoses(() => diagnoseNode(result, dump, report, { input: cluster })),
  }
}

/** Returns the report of a family if all its rules could be compared. */
function completeOrNone(report: FamilyReport | undefined): FamilyReport | undefined {
  return report?.unverified.length === 0 ? report : undefined
}

/** Diagnoses a node at most once. */
function createLazyDiagnoses(diagnose: () => readonly Diagnosis[]): () => readonly Diagnosis[] {
  let diagnoses: readonly Diagnosis[] | undefined
  return () => {
    diagnoses ??= diagnose()
    return diagnoses
  }
}

const NO_DUMP: ReadDumpResult = {
  dump: { IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' } },
  sources: [],
  notes: [],
  coverages: [],
}

function caveatsOf(report: VerifyReport): readonly string[] {
  return caveatsView(report, '').flatMap(({ kind, label }) => (kind === 'caveat' ? [`warning: ${label}`] : []))
}

/** Returns a node for a dump without objects. The addresses of the node are included if known. */
export function createNodeFromDump(
  { dump, sources, notes, coverages }: ReadDumpResult,
  addresses: readonly string[] | undefined,
): ExplainedNode {
  const printed = addresses === undefined ? readInterfaces(sources) : undefined
  const traceContext = { addresses: addresses ?? (printed && addressesOf(printed.interfaces)) }
  const families = IP_FAMILIES.map((family) => ({ family, state: annotateOwners(dump[family]), traceContext }))
  return {
    families,
    sources,
    addLocation: createDumpLocator(sources),
    nodes: [],
    diagnostics: [],
    assumed: [],
    caveats: [],
    notes: [...notes, ...coverages, ...(printed === undefined ? [] : [printed.note])],
  }
}
