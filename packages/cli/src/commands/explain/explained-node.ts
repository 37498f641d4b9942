import { type CompileResult, type NodeState, type Surroundings, type VerifyReport, verify } from '@kube-rules/compiler'
import { attribute, type CompiledFrom, surroundingsOf } from '@kube-rules/compiler/explain'
import type { Plan } from '@kube-rules/compiler/plan'
import { type Diagnostic, IP_FAMILIES, type IpFamily, type Node, parseIp, type Service } from '@kube-rules/types'
import { loadMainBackEnd } from '../../cluster/back-ends.js'
import { clusterDiagnostics } from '../../cluster/cluster-diagnostics.js'
import { compileCluster, compileOptions } from '../../cluster/compile-cluster.js'
import { loadCluster, requireOneStdin } from '../../cluster/load-cluster.js'
import type { LoadedDump } from '../../cluster/load-dump.js'
import type { Context } from '../../context.js'
import { UsageError } from '../../errors.js'
import type { OptionValues } from '../../options/option.js'
import { refuseErrors } from '../../report/refuse-errors.js'
import type { explainOptions } from './explain-options.js'

type Values = OptionValues<typeof explainOptions>

/** What the node holds of one family, and with objects what should happen. */
export interface ExplainedFamily {
  readonly family: IpFamily
  readonly state: NodeState
  readonly surroundings: Surroundings
  readonly plan?: Plan | undefined
  /** With objects: what kube-proxy would write. */
  readonly compiled?: NodeState | undefined
}

export interface ExplainedNode {
  /** In the order IPv4, IPv6. */
  readonly families: readonly ExplainedFamily[]
  /** With objects: all that was compiled, and from what. */
  readonly compiledFrom?: { readonly result: CompileResult; readonly from: CompiledFrom } | undefined
  /** The texts of the dump; none where there is none. */
  readonly sources: LoadedDump['sources']
  /** All Nodes among the objects. */
  readonly nodes: readonly Node[]
  /** All Services among the objects; absent where there are none to look at. */
  readonly services?: readonly Service[] | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** Why the node may not be the one that the objects are of, one line each. */
  readonly doubts: readonly string[]
  /** Of the objects and dumps; whole lines. */
  readonly notes: readonly string[]
}

/**
 * The node that `-f`, `--dump` or both name.
 *
 * @throws UsageError where neither is given, or an option is that fits the other one only.
 */
export async function loadNode(context: Context, values: Values): Promise<ExplainedNode> {
  const { filename, dump, 'node-address': addresses } = values
  if (filename.length > 0 && addresses.length > 0)
    throw new UsageError('option --node-address is for --dump without -f')
  if (filename.length === 0 && dump.length === 0) throw new UsageError('option -f or --dump is missing')
  requireOneStdin([...filename, ...dump, values.config, values.host])
  return filename.length === 0 ? loadDumpedNode(context, values) : loadCompiledNode(context, values)
}

async function loadCompiledNode(context: Context, values: Values): Promise<ExplainedNode> {
  const cluster = await loadCluster(context, values)
  const { strict } = values
  const { dump, sources, notes, fragments } =
    values.dump.length === 0 ? NO_DUMP : await loadMainBackEnd(context, values.dump, { strict })
  const result = compileCluster(cluster, values, IP_FAMILIES, { dump })
  const diagnostics = clusterDiagnostics(cluster, result.diagnostics)
  if (values.strict) refuseErrors(diagnostics)
  const families = result.families.map((compiled) => ({
    family: compiled.family,
    state: dump === undefined ? compiled.state : attribute(dump[compiled.family], compiled.state),
    surroundings: surroundingsOf(compiled.plan),
    plan: compiled.plan,
    compiled: compiled.state,
  }))
  return {
    families,
    compiledFrom: { result, from: { input: cluster, options: compileOptions(cluster, values, IP_FAMILIES) } },
    sources,
    nodes: cluster.nodes,
    services: cluster.services,
    diagnostics,
    notes: [...notes, ...fragments, ...cluster.notes],
    doubts: dump === undefined ? [] : doubtsOf(verify(result, dump)),
  }
}

const NO_DUMP: Partial<Pick<LoadedDump, 'dump'>> & Omit<LoadedDump, 'dump'> = { sources: [], notes: [], fragments: [] }

/** Each once: it is mostly the same for both families. */
function doubtsOf({ families }: VerifyReport): readonly string[] {
  return [...new Set(families.flatMap(({ doubts }) => doubts.map(({ message }) => `warning: doubt: ${message}`)))]
}

async function loadDumpedNode(
  context: Context,
  { dump: paths, 'node-address': texts, strict }: Values,
): Promise<ExplainedNode> {
  const addresses = texts.length === 0 ? undefined : texts.map(readAddress)
  const { dump, sources, notes, fragments } = await loadMainBackEnd(context, paths, { strict })
  const families = IP_FAMILIES.map((family) => ({
    family,
    state: attribute(dump[family]),
    surroundings: { addresses },
  }))
  return { families, sources, nodes: [], diagnostics: [], doubts: [], notes: [...notes, ...fragments] }
}

function readAddress(text: string): string {
  const ip = parseIp(text)
  if (ip === undefined) throw new UsageError(`option --node-address is ${text}; expected an address`)
  return ip.text
}
