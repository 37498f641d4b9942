import { preferKnownPaths } from '../program/missing-content.js'
import type { TracePath } from '../trace/trace-paths.js'
import { formatOutcomes, type PacketDiagnosisContext } from './packet-diagnosis-context.js'

/** Reports whether every packet takes this path: it is the only one, and depends on no unknown condition. */
export function isCertain({ assumptions }: TracePath, { paths }: Pick<PacketDiagnosisContext, 'paths'>): boolean {
  return assumptions.length === 0 && paths.length === 1
}

/** Formats the outcome of a path: `are rejected`, or `may be rejected` if packets may take another path. */
export function formatFate(path: TracePath, facts: Pick<PacketDiagnosisContext, 'paths'>): string {
  return formatOutcomes([path], isCertain(path, facts) ? 'certain' : 'possible')
}

/** Returns the only path that the rules in the dump show; undefined if they show several. */
export function findKnownPath({ paths }: Pick<PacketDiagnosisContext, 'paths'>): TracePath | undefined {
  const [path, ...others] = preferKnownPaths(paths)
  return others.length === 0 ? path : undefined
}
