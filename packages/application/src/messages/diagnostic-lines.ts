import type { Plan } from '@kube-rules/compiler/plan'
import { type Diagnostic, formatDiagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'

const LINES_PER_CODE = 20

/**
 * Formats errors and warnings as lines, in their order. Of each diagnostic code, only the first 20 lines are included.
 * Lines at the end have the numbers of omitted lines per code, followed by `hint`.
 */
export function formatDiagnosticLines(diagnostics: readonly Diagnostic[], hint = ''): readonly string[] {
  return linesOf(
    diagnostics.filter(({ severity }) => severity !== 'info'),
    hint,
  )
}

/**
 * Formats lines like `formatDiagnosticLines`, for commands that verify a node. Missing local traffic detection is
 * reported only for families with an affected service port.
 */
export function formatVerificationLines(
  diagnostics: readonly Diagnostic[],
  plans: readonly Plan[],
  hint = '',
): readonly string[] {
  const affected = plans.filter(({ services, node }) => services.length > 0 && node.localTrafficDetection === undefined)
  const matters = ({ code, message }: Diagnostic) =>
    code === 'noLocalTrafficDetection' && affected.some(({ family }) => isOf(family, message))
  return linesOf(
    diagnostics.filter((diagnostic) => diagnostic.severity !== 'info' || matters(diagnostic)),
    hint,
  )
}

/** Reports whether a message is about the given family, or mentions no family. */
function isOf(family: IpFamily, message: string): boolean {
  return message.includes(family) || !IP_FAMILIES.some((each) => message.includes(each))
}

function linesOf(diagnostics: readonly Diagnostic[], hint: string): readonly string[] {
  const counts = new Map<string, number>()
  const lines: string[] = []
  for (const diagnostic of diagnostics) {
    const count = (counts.get(diagnostic.code) ?? 0) + 1
    counts.set(diagnostic.code, count)
    if (count <= LINES_PER_CODE) lines.push(formatDiagnostic(diagnostic))
  }
  return [...lines, ...overflowLines(counts, hint)]
}

function overflowLines(counts: ReadonlyMap<string, number>, hint: string): readonly string[] {
  return [...counts]
    .filter(([, count]) => count > LINES_PER_CODE)
    .map(([code, count]) => `… and ${count - LINES_PER_CODE} more of ${code}${hint}`)
}
