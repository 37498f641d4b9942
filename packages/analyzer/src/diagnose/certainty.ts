import type { TracePath } from '../trace/trace-paths.js'
import type { PacketDiagnosisContext } from './packet-diagnosis-context.js'

/** Reports whether every packet takes this path: it is the only one, and depends on no unknown condition. */
export function isCertain({ assumptions }: TracePath, { paths }: Pick<PacketDiagnosisContext, 'paths'>): boolean {
  return assumptions.length === 0 && paths.length === 1
}
