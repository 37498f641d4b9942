import { lazily } from '../internal/lazily.js'
import type { ServiceGroup } from '../services/group-objects.js'
import type { ClusterSession, NodeFork } from './cluster-session.js'
import type { CompileResult, Counts, FamilyResult } from './compile-result.js'
import { forkedResult, sessionOfFork } from './fork.js'
import { diagnosticsOf, recordAt, type Session, type SessionResult } from './session.js'

/** What results do not show, for the compile that goes on from them. */
const sessions = new WeakMap<CompileResult, Session>()
const forks = new WeakMap<CompileResult, HeldFork>()

/** What is held of one of the nodes of a cluster. */
export interface HeldFork {
  readonly cluster: ClusterSession
  readonly fork: NodeFork
}

/** The result of a session, which it holds. */
export function resultOf(session: Session): CompileResult {
  const result = newResult(session)
  sessions.set(result, session)
  return result
}

/** The result of the session a fork stands for. It holds the fork alone. */
export function resultOfFork(fork: NodeFork, cluster: ClusterSession): CompileResult {
  const result = newResult(forkedResult(fork))
  forks.set(result, { cluster, fork })
  return result
}

/** The session of a result; undefined where the result is none of ours. */
export function heldSession(result: CompileResult): Session | undefined {
  const held = forks.get(result)
  return held === undefined ? sessions.get(result) : withResults(sessionOfFork(held.fork), result.families)
}

/** The objects of the Service of this `namespace/name` that a result was made of, which are the same on every node. */
export function heldGroup(result: CompileResult, key: string): ServiceGroup | undefined {
  const session = forks.get(result)?.cluster.bases[0] ?? sessions.get(result)
  return session && recordAt(session, key)?.group
}

/** What is held of a result of one of many nodes. */
export function heldFork(result: CompileResult): HeldFork | undefined {
  return forks.get(result)
}

/** What there is to say is put together when somebody asks: most results of many nodes are not asked. */
function newResult({ context, diagnostics: ofObjects, families: all }: SessionResult): CompileResult {
  const families = all.map(({ diagnostics, result }) => ({ diagnostics, result }))
  const diagnostics = lazily(() => diagnosticsOf({ context, diagnostics: ofObjects, families }))
  return {
    mode: context.mode,
    kubernetesVersion: context.kubernetesVersion,
    families: families.map((family) => family.result),
    get diagnostics() {
      return diagnostics()
    },
    counts: sumOf(families.map((family) => family.result.counts)),
  }
}

/** The session with the very results that are there already. */
function withResults(session: Session, results: readonly FamilyResult[]): Session {
  const families = session.families.map((family, index) => ({ ...family, result: results[index] ?? family.result }))
  return { ...session, families }
}

function sumOf(counts: readonly Counts[]): Counts {
  let [servicePorts, endpoints, chains, rules] = [0, 0, 0, 0]
  for (const each of counts) {
    servicePorts += each.servicePorts
    endpoints += each.endpoints
    chains += each.chains
    rules += each.rules
  }
  return { servicePorts, endpoints, chains, rules }
}
