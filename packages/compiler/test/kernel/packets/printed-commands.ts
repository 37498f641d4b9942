import type { EndpointSlice, Packet, Service } from '@kube-rules/types'
import { diagnosePacket } from '../../../../analyzer/src/diagnose/diagnose-packet.js'
import type { Diagnosis } from '../../../../analyzer/src/diagnose/diagnosis.js'
import { explain } from '../../../../analyzer/src/explain/explain.js'
import { traceContextFor } from '../../../../analyzer/src/trace/trace-context.js'
import { annotateOwners } from '../../../../analyzer/src/verify/annotate-owners.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileInput, CompileResult, FamilyResult } from '../../../src/compilation/compile-result.js'
import { diff } from '../../../src/diff/diff.js'
import { readDump } from '../../support/read-dump.js'
import { repairRuns } from '../repair.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { dumpTables } from '../sandbox/dump.js'
import { type CommandExecutor, succeeded } from '../sandbox/sandbox.js'
import { clusterOf } from './cluster.js'
import type { PrintedCommand } from './printed-commands-table.js'

const OPTIONS = { nodeName: 'node', families: ['IPv4'], kubernetesVersion: '1.34' } as const

/** A node with the rules of kube-proxy for its objects, and with a fault. */
export interface FaultyNode {
  readonly run: CommandExecutor
  readonly input: CompileInput
  readonly result: CompileResult
}

/** Replaces all rules of the node by those of kube-proxy in a mode, and makes the fault. */
export async function loadFault(run: CommandExecutor, { mode, fault }: PrintedCommand): Promise<FaultyNode> {
  const cluster = clusterOf()
  const input = { ...cluster, configuration: { ...cluster.configuration, mode } }
  const result = compile(input, OPTIONS)
  await resetRules(run)
  await runToolCommands(run, toCommands(diff(undefined, result), { backend: 'nft' }), 'nft')
  for (const line of fault) succeeded(await run(['sh', '-ec', line]))
  return { run, input, result }
}

/** Deletes all rules and connections. Policies of built-in chains return to ACCEPT with the deleted tables. */
async function resetRules(run: CommandExecutor): Promise<void> {
  succeeded(await run(['nft', 'flush', 'ruleset']))
  await forgetConnections(run)
}

async function forgetConnections(run: CommandExecutor): Promise<void> {
  const { status, stderr } = await run(['conntrack', '-F'])
  if (status !== 0) throw new Error(stderr)
}

/** Returns the diagnoses of a packet that `explain` prints for a dump of the node. */
export async function diagnoseFault({ run, input, result }: FaultyNode, packet: Packet): Promise<readonly Diagnosis[]> {
  const [{ plan, state: compiled }] = result.families as readonly [FamilyResult]
  const state = annotateOwners(readDump(await dumpNode(run, result), { family: 'IPv4' }).IPv4, compiled)
  const context = traceContextFor(plan)
  const services = input.services as readonly Service[]
  const explanation = explain(state, packet, { plan, compiled, nodes: [], services, ...context })
  return diagnosePacket(explanation, state, { result, from: { input, options: OPTIONS }, ...context })
}

async function dumpNode(run: CommandExecutor, { mode }: CompileResult): Promise<readonly string[]> {
  const tables = await dumpTables(run, 'IPv4', 'nft')
  if (mode !== 'nftables') return [tables]
  const { stdout } = await run(['nft', 'list', 'table', 'ip', 'kube-proxy'])
  return [tables, stdout]
}

/**
 * Runs a printed command in a shell of the node. Commands of kubectl are applied to the objects, and the rules of
 * kube-proxy follow.
 */
export async function runPrinted(node: FaultyNode, command: string): Promise<FaultyNode> {
  const ran = await node.run(['sh', '-ec', `${KUBECTL}\n${command}`])
  succeeded(ran)
  await forgetConnections(node.run)
  return ran.stdout === '' ? node : runKubectl(node, ran.stdout.split('\n'))
}

/** Prints the words of a kubectl command as the shell passes them, one in each line. */
const KUBECTL = `kubectl() { printf '%s\\n' "$@"; }`

async function runKubectl(node: FaultyNode, words: readonly string[]): Promise<FaultyNode> {
  const [, namespace = '', verb, kind, name = ''] = words
  if (verb === 'patch' && kind === 'svc') return patchService(node, { namespace, name, patch: words[6] ?? '' })
  if (namespace === 'kube-system' && verb === 'delete' && name === '-l') return restartProxy(node)
  throw new Error(`unexpected command: kubectl ${words.join(' ')}`)
}

interface ServicePatch {
  readonly namespace: string
  readonly name: string
  readonly patch: string
}

async function patchService(node: FaultyNode, { namespace, name, patch }: ServicePatch): Promise<FaultyNode> {
  const { spec } = JSON.parse(patch)
  const services = (node.input.services as readonly Service[]).map((service) =>
    service.metadata?.namespace === namespace && service.metadata.name === name
      ? { ...service, spec: { ...service.spec, ...spec } }
      : service,
  )
  const input = { ...node.input, services, endpointSlices: node.input.endpointSlices as readonly EndpointSlice[] }
  const result = compile(input, OPTIONS)
  await runToolCommands(node.run, toCommands(diff(node.result, result), { backend: 'nft' }), 'nft')
  return { ...node, input, result }
}

/** Writes the rules of kube-proxy again, as a new process does. */
async function restartProxy(node: FaultyNode): Promise<FaultyNode> {
  const dump = await dumpNode(node.run, node.result)
  await runToolCommands(node.run, repairRuns(node.result, 'IPv4', dump.join('\n'), 'nft'), 'nft')
  return node
}
